# Prints every method and path that Keystone serves, from the URL map of its Flask application:
#   /usr/bin/python3 conformance/keystone-api/pairs.py > conformance/keystone-api/pairs.txt
# Debian's package python3-keystone is enough. Nothing is started and nothing is read from /etc.
import inspect
import re

import keystone.conf
from keystone.server import backends
from keystone.server.flask import application

# Flask answers it by itself, for every path.
BY_ITSELF = {'OPTIONS'}


def path_of(rule):
    """<string:user_id> is {user_id}."""
    return re.sub(r'<(?:\w+:)?(\w+)>', r'{\1}', rule.rule)


def takes(view, method, rule):
    """Keystone has one class for a collection and its members. A method belongs to a path if it can be called with the
    parameters of that path: PATCH needs the id, POST does not know it."""
    function = getattr(view, 'get' if method == 'HEAD' else method.lower(), None)
    if function is None:
        return False
    try:
        inspect.signature(function).bind(None, **{name: '' for name in rule.arguments})
    except TypeError:
        return False
    return True


def pairs(app):
    for rule in app.url_map.iter_rules():
        view = getattr(app.view_functions[rule.endpoint], 'view_class', None)
        for method in rule.methods - BY_ITSELF:
            if view is None or takes(view, method, rule):
                yield path_of(rule), method


keystone.conf.configure()
keystone.conf.CONF([], project='keystone', default_config_files=[])
backends.load_backends()
found = sorted({pair for pair in pairs(application.application_factory()) if not pair[0].startswith('/static')})
for path, method in found:
    print(method, path)
