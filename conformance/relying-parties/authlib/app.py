"""A Flask application that signs people in by Authlib, as the chapters "Flask OAuth Client" and "Logout" of its documentation show."""
import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

app = Flask(__name__)
app.secret_key = os.urandom(32)


def update_token(name, token, refresh_token=None, access_token=None):
    session["token"] = token


oauth = OAuth(app, fetch_token=lambda name: session.get("token"), update_token=update_token)
oauth.register(
    "gatehouse",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email offline_access", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    if "token" not in session:
        return '<a href="/login">Sign in</a>'
    person = oauth.gatehouse.userinfo()
    return 'Hello %s, %s. <a href="/logout">Sign out</a>' % (session["user"]["sub"], person["email"])


@app.get("/login")
def login():
    return oauth.gatehouse.authorize_redirect(url_for("callback", _external=True), prompt="consent")


@app.get("/callback")
def callback():
    token = oauth.gatehouse.authorize_access_token()
    session["user"], session["id_token"], session["token"] = token["userinfo"], token["id_token"], token
    return redirect("/")


@app.get("/logout")
def logout():
    return oauth.gatehouse.logout_redirect(url_for("signed_out", _external=True), session["id_token"])


@app.get("/signed-out")
def signed_out():
    oauth.gatehouse.validate_logout_response()
    session.clear()
    return redirect("/")


app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
