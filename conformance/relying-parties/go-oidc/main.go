// A web application that signs people in by go-oidc and x/oauth2, as the examples of go-oidc ("userinfo", "logout") show.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type session struct {
	oauth2.TokenSource
	rawIDToken, subject, sid string
}

var (
	mutex    sync.Mutex
	sessions = map[string]*session{}
)

func sessionOf(r *http.Request) *session {
	mutex.Lock()
	defer mutex.Unlock()
	if cookie, err := r.Cookie("session"); err == nil {
		return sessions[cookie.Value]
	}
	return nil
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", Secure: r.TLS != nil, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func main() {
	ctx := context.Background()
	base := "http://127.0.0.1:" + os.Getenv("PORT")
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	var metadata struct {
		EndSessionEndpoint string `json:"end_session_endpoint"`
	}
	if err := provider.Claims(&metadata); err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: os.Getenv("CLIENT_ID")})
	config := oauth2.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  base + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}

	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		mine := sessionOf(r)
		if mine == nil {
			fmt.Fprint(w, `<a href="/login">Sign in</a>`)
			return
		}
		// A token that has ended is refreshed by the token source.
		person, err := provider.UserInfo(r.Context(), mine)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintf(w, `Hello %s, %s. <a href="/logout">Sign out</a>`, mine.subject, person.Email)
	})

	http.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
		setCookie(w, r, "state", state)
		setCookie(w, r, "nonce", nonce)
		setCookie(w, r, "verifier", verifier)
		consent := oauth2.SetAuthURLParam("prompt", "consent")
		http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier), consent), http.StatusFound)
	})

	http.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		value := func(name string) string {
			if cookie, err := r.Cookie(name); err == nil {
				return cookie.Value
			}
			return "not there"
		}
		if r.URL.Query().Get("state") != value("state") {
			http.Error(w, "state did not match", http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(ctx, r.URL.Query().Get("code"), oauth2.VerifierOption(value("verifier")))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		idToken, err := verifier.Verify(ctx, raw)
		if err != nil || idToken.Nonce != value("nonce") {
			http.Error(w, fmt.Sprint("the ID token is not valid: ", err), http.StatusBadGateway)
			return
		}
		var claims struct {
			SessionID string `json:"sid"`
		}
		if err := idToken.Claims(&claims); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		id := rand.Text()
		mutex.Lock()
		sessions[id] = &session{config.TokenSource(ctx, token), raw, idToken.Subject, claims.SessionID}
		mutex.Unlock()
		setCookie(w, r, "session", id)
		http.Redirect(w, r, "/", http.StatusFound)
	})

	http.HandleFunc("GET /logout", func(w http.ResponseWriter, r *http.Request) {
		mine := sessionOf(r)
		if mine == nil {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		end(func(one *session) bool { return one == mine })
		query := url.Values{"id_token_hint": {mine.rawIDToken}, "post_logout_redirect_uri": {base + "/"}}
		http.Redirect(w, r, metadata.EndSessionEndpoint+"?"+query.Encode(), http.StatusFound)
	})

	http.HandleFunc("POST /backchannel-logout", func(w http.ResponseWriter, r *http.Request) {
		token, err := verifier.VerifyLogout(r.Context(), r.PostFormValue("logout_token"))
		if err != nil {
			log.Print(err)
			http.Error(w, "invalid logout token", http.StatusBadRequest)
			return
		}
		end(func(one *session) bool {
			return one.sid == token.SessionID || token.SessionID == "" && one.subject == token.Subject
		})
	})

	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// end forgets the sessions for which the function is true.
func end(which func(*session) bool) {
	mutex.Lock()
	defer mutex.Unlock()
	for id, one := range sessions {
		if which(one) {
			delete(sessions, id)
		}
	}
}
