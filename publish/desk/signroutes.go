package desk

import "net/http"

// signPages adds the pages of people to the others.
func (d *Desk) signPages(pages *http.ServeMux) {
	pages.HandleFunc("GET /login", d.askLogin)
	pages.HandleFunc("POST /login", d.login)
	pages.HandleFunc("POST /logout", d.form(sessionEnd, d.logout, d.sorry))
	pages.HandleFunc("GET /welcome", d.askWelcome)
	pages.HandleFunc("POST /welcome", d.welcome)
	pages.HandleFunc("GET /account", d.show(d.showAccount))
	pages.HandleFunc("POST /account/password", d.form(passwordChange, d.changePassword, d.accountWith))
	pages.HandleFunc("POST /account/sessions/{session}/end", d.form(sessionEnd, d.endSession, d.accountWith))
	pages.HandleFunc("POST /account/sessions/end", d.form(sessionsEnd, d.endSessions, d.accountWith))
	pages.HandleFunc("GET /users", d.show(d.showUsers))
	pages.HandleFunc("POST /users", d.form(userAdd, d.addUserByForm, d.usersWith))
	pages.HandleFunc("POST /users/{name}/role", d.form(userRole, d.changeRoleByForm, d.usersWith))
	pages.HandleFunc("POST /users/{name}/disable", d.form(userDisable, d.disableByForm, d.usersWith))
	pages.HandleFunc("POST /users/{name}/enable", d.form(userEnable, d.enableByForm, d.usersWith))
	pages.HandleFunc("POST /users/{name}/reset", d.form(userReset, d.resetByForm, d.usersWith))
	pages.HandleFunc("GET /tokens", d.show(d.showTokens))
	pages.HandleFunc("POST /tokens", d.form(tokenCreate, d.createTokenByForm, d.tokensWith))
	pages.HandleFunc("POST /tokens/{token}/revoke", d.form(tokenRevoke, d.revokeByForm, d.tokensWith))
	pages.HandleFunc("GET /audit", d.show(d.showAudit))
}

// signRoutes adds the routes of people to the API.
func (d *Desk) signRoutes(mux *http.ServeMux) {
	mux.Handle("GET /api/v1/users", d.read(d.listUsers))
	mux.Handle("POST /api/v1/users", d.act(userAdd, d.addUser))
	mux.Handle("POST /api/v1/users/{name}/role", d.act(userRole, d.changeRole))
	mux.Handle("POST /api/v1/users/{name}/disable", d.act(userDisable, d.disableUser))
	mux.Handle("POST /api/v1/users/{name}/enable", d.act(userEnable, d.enableUser))
	mux.Handle("POST /api/v1/users/{name}/reset", d.act(userReset, d.resetUser))
	mux.Handle("GET /api/v1/tokens", d.read(d.listTokens))
	mux.Handle("POST /api/v1/tokens", d.act(tokenCreate, d.createToken))
	mux.Handle("DELETE /api/v1/tokens/{token}", d.act(tokenRevoke, d.revokeToken))
	mux.Handle("GET /api/v1/audit", d.read(d.listAudit))
}
