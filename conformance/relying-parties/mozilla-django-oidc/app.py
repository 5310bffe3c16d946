"""A Django site that signs people in by mozilla-django-oidc, as its pages "Installation" and "Settings" show; settings, addresses and views are in one file."""
import os
import sys

from django.conf import settings

ISSUER = os.environ["ISSUER"]

settings.configure(
    SECRET_KEY=os.urandom(32).hex(),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "mozilla_django_oidc.middleware.SessionRefresh",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    OIDC_RP_CLIENT_ID=os.environ["CLIENT_ID"],
    OIDC_RP_CLIENT_SECRET=os.environ["CLIENT_SECRET"],
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_OP_JWKS_ENDPOINT=ISSUER + "/openid/jwks",
    OIDC_OP_AUTHORIZATION_ENDPOINT=ISSUER + "/openid/authorize",
    OIDC_OP_TOKEN_ENDPOINT=ISSUER + "/openid/token",
    OIDC_OP_USER_ENDPOINT=ISSUER + "/openid/userinfo",
    OIDC_OP_LOGOUT_ENDPOINT=ISSUER + "/openid/logout",
    OIDC_OP_LOGOUT_URL_METHOD=__name__ + ".sign_out_address",
    OIDC_USE_PKCE=True,
    OIDC_STORE_ID_TOKEN=True,
    # How long a sign-in is believed before Gatehouse is asked again, without a word to the person: 15 minutes unless set.
    OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS=int(os.environ["RENEW_SECONDS"]),
    LOGIN_REDIRECT_URL="/",
    LOGOUT_REDIRECT_URL="/",
)


def sign_out_address(request):
    from urllib.parse import urlencode

    query = {"id_token_hint": request.session["oidc_id_token"], "post_logout_redirect_uri": request.build_absolute_uri("/")}
    return settings.OIDC_OP_LOGOUT_ENDPOINT + "?" + urlencode(query)


def home(request):
    from django.http import HttpResponse
    from django.middleware.csrf import get_token

    if not request.user.is_authenticated:
        return HttpResponse('<a href="/oidc/authenticate/">Sign in</a>')
    return HttpResponse(
        'Hello %s. <form method="post" action="/oidc/logout/"><input type="hidden" name="csrfmiddlewaretoken" value="%s">'
        "<button>Sign out</button></form>" % (request.user.email, get_token(request))
    )


import django  # noqa: E402
from django.core.management import execute_from_command_line  # noqa: E402

sys.modules.setdefault("app", sys.modules[__name__])
if __name__ == "__main__":
    django.setup()

from django.urls import include, path  # noqa: E402

urlpatterns = [path("", home), path("oidc/", include("mozilla_django_oidc.urls"))]

if __name__ == "__main__":
    execute_from_command_line(["app", "migrate", "--verbosity", "0"])
    execute_from_command_line(["app", "runserver", "--noreload", "127.0.0.1:" + os.environ["PORT"]])
