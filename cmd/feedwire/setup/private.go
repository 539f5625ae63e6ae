package setup

import "syscall"

// PrivateFiles makes this process, and the servers that it starts, create files with mode 0600 and directories with 0700, whatever the
// shell or the service manager has set.
func PrivateFiles() { syscall.Umask(0o077) }
