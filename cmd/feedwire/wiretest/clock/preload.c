/* Lets the wall clock of a C program jump: it is ahead by the nanoseconds in the file CLOCK_OF_C. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long long *ahead;

__attribute__((constructor)) static void map_clock(void) {
	const char *path = getenv("CLOCK_OF_C");
	int fd = path ? open(path, O_RDONLY) : -1;
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) ahead = page;
}

int clock_gettime(clockid_t id, struct timespec *t) {
	long failed = syscall(SYS_clock_gettime, id, t);
	if (!failed && ahead && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
		long long shown = t->tv_sec * 1000000000LL + t->tv_nsec + *ahead;
		t->tv_sec = shown / 1000000000LL;
		t->tv_nsec = shown % 1000000000LL;
	}
	return (int)failed;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
	struct timespec now;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (t) *t = now.tv_sec;
	return now.tv_sec;
}
