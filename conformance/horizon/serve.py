"""Serves Horizon at a port of this machine, with its static files."""

import os
import socketserver
import sys
import wsgiref.simple_server

os.environ['DJANGO_SETTINGS_MODULE'] = 'horizon_settings'

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from django.views.static import serve as serve_file  # noqa: E402


class Handler(StaticFilesHandler):
    """The files that Debian's package collected, instead of looking for their sources at each request."""

    def serve(self, request):
        from django.conf import settings
        return serve_file(request, self.file_path(request.path), document_root=settings.STATIC_ROOT)


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


application = Handler(get_wsgi_application())
wsgiref.simple_server.make_server(
    '127.0.0.1', int(sys.argv[1]), application, server_class=Server
).serve_forever()
