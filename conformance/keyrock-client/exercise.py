"""Runs Keyrock's client library against a service: exercise.py LIBRARY_FOLDER URL PASSWORD.

The library was written for Python 2. What it misses in Python 3 is put in its place here; its own files stay as they are.
Prints a line for each call; ends with 1 when one failed.
"""
import base64
import inspect
import os
import sys
import traceback
import urllib
import urllib.parse

import requests

library, url, password = sys.argv[1:4]
sys.path.insert(0, library)
os.environ['PBR_VERSION'] = '1.3.0'  # it asks git for its version otherwise
inspect.getargspec = getattr(inspect, 'getargspec', inspect.getfullargspec)
urllib.urlencode = urllib.parse.urlencode
urllib.quote = urllib.parse.quote


class Base64OfText:
    """base64 as Python 2 had it: text in, text out."""

    @staticmethod
    def b64encode(text):
        return base64.b64encode(text.encode()).decode()


from keystoneclient import session  # noqa: E402
from keystoneclient.v3 import client  # noqa: E402
from keystoneclient.v3.contrib.oauth2 import access_tokens, auth  # noqa: E402
from keystoneclient.v3.contrib.two_factor import auth as two_factor_auth  # noqa: E402

access_tokens.base64 = Base64OfText


def opened(plugin):
    """A session of a requests.Session of ours: its own it makes by changing what it walks over."""
    return session.Session(auth=plugin, session=requests.Session())


failed = []


def step(name, work):
    """One call of the library; what it gives, or None when it failed."""
    try:
        value = work()
        print('ok     ' + name)
        return value
    except Exception as error:
        print('FAILED %s: %s' % (name, error))
        traceback.print_exc()
        failed.append(name)
        return None


keystone = client.Client(username='admin', password=password, project_name='admin', auth_url=url + '/v3')

REDIRECT = 'https://app.example.org/callback'
user = step('users.create', lambda: keystone.users.create('old', password='a word of the old days', domain='default'))
organization = step('projects.create', lambda: keystone.projects.create('Old town', 'default'))
member = [role for role in keystone.roles.list() if role.name == 'member'][0]
step('roles.grant', lambda: keystone.roles.grant(member, user=user, project=organization))
step('users.update', lambda: keystone.users.update(user, default_project=organization))

consumers = keystone.oauth2.consumers
consumer = step('oauth2.consumers.create', lambda: consumers.create(
    name='Old application', client_type='confidential', redirect_uris=[REDIRECT], grant_type='authorization_code', scopes=['all_info']))
step('oauth2.consumers.get', lambda: consumers.get(consumer))
step('oauth2.consumers.update', lambda: consumers.update(consumer, name='Old application', redirect_uris=[REDIRECT], scopes=['all_info']))
step('oauth2.consumers.list', lambda: consumers.list())

roles, permissions = keystone.fiware_roles.roles, keystone.fiware_roles.permissions
role = step('fiware_roles.roles.create', lambda: roles.create('editor', application=consumer))
step('fiware_roles.roles.get', lambda: roles.get(role))
step('fiware_roles.roles.update', lambda: roles.update(role, name='chief editor'))
step('fiware_roles.roles.list', lambda: roles.list())
permission = step('fiware_roles.permissions.create', lambda: permissions.create('edit', application=consumer))
step('fiware_roles.permissions.get', lambda: permissions.get(permission))
step('fiware_roles.permissions.update', lambda: permissions.update(permission, name='edit all'))
step('fiware_roles.permissions.add_to_role', lambda: permissions.add_to_role(role, permission))
step('fiware_roles.permissions.list(role)', lambda: permissions.list(role=role))
step('fiware_roles.roles.add_to_user', lambda: roles.add_to_user(role, user, organization, consumer))
step('fiware_roles.roles.add_to_organization', lambda: roles.add_to_organization(role, organization, consumer))
assignments = keystone.fiware_roles.role_assignments
step('fiware_roles.role_assignments.list_user_role_assignments', lambda: assignments.list_user_role_assignments(user=user))
step('fiware_roles.role_assignments.list_organization_role_assignments',
     lambda: assignments.list_organization_role_assignments(organization=organization))
allowed = keystone.fiware_roles.allowed
for name in ['roles_to_assign', 'applications_to_manage', 'applications_to_manage_roles']:
    step('fiware_roles.allowed.list_user_allowed_' + name, lambda: getattr(allowed, 'list_user_allowed_' + name)(user, organization))
    step('fiware_roles.allowed.list_organization_allowed_' + name,
         lambda: getattr(allowed, 'list_organization_allowed_' + name)(organization))

person = client.Client(username='old', password='a word of the old days', project_id=organization.id, auth_url=url + '/v3')
codes = person.oauth2.authorization_codes
step('oauth2.authorization_codes.request_authorization',
     lambda: codes.request_authorization(consumer=consumer.id, redirect_uri=REDIRECT, scope='all_info'))
code = step('oauth2.authorization_codes.authorize', lambda: codes.authorize(consumer=consumer.id, scopes=['all_info']))
token = step('oauth2.access_tokens.create', lambda: person.oauth2.access_tokens.create(
    consumer_id=consumer.id, consumer_secret=consumer.secret, authorization_code=code.code, redirect_uri=REDIRECT))
step('oauth2.auth.OAuth2', lambda: opened(auth.OAuth2(url + '/v3', access_token=token.access_token)).get_token())

keys = keystone.two_factor.keys
step('two_factor.keys.generate_new_key', lambda: keys.generate_new_key(user, 'Who?', 'Me!'))
step('two_factor.keys.check_activated_two_factor', lambda: keys.check_activated_two_factor(user_id=user.id) or 1 / 0)
step('two_factor.keys.get_two_factor_data', lambda: keys.get_two_factor_data(user))
step('two_factor.keys.check_security_question', lambda: keys.check_security_question(user, 'Me!'))
device = step('two_factor.keys.remember_device', lambda: keys.remember_device(user_id=user.id))
step('two_factor.keys.check_for_device', lambda: keys.check_for_device(
    user_id=user.id, device_id=device.device_id, device_token=device.device_token))
step('two_factor.auth.TwoFactor', lambda: opened(two_factor_auth.TwoFactor(
    auth_url=url + '/v3', user_id=user.id, password='a word of the old days', user_domain_id='default',
    device_data={'device_id': device.device_id, 'device_token': device.device_token})).get_token())
step('two_factor.keys.delete_all_devices', lambda: keys.delete_all_devices(user))
step('two_factor.keys.deactivate_two_factor', lambda: keys.deactivate_two_factor(user))

registration, exceptions = keystone.user_registration, client.exceptions


def refused(kind, work):
    """The call has to fail with this exception of the library."""
    try:
        work()
    except kind:
        return
    raise AssertionError('not refused')


def log_in(word):
    return client.Client(username='ann@example.org', password=word, project_id=ann.default_project_id, auth_url=url + '/v3').auth_token


# Ids, as the portal passes them: the library cannot take its own objects here, since it tries to read them first.
FIRST, SECOND = 'a first password', 'a second password'
ann = step('user_registration.users.register_user', lambda: registration.users.register_user(
    'ann@example.org', domain='default', password=FIRST, username='ann'))
step('registered: disabled, with two organizations', lambda: (
    not ann.enabled and ann.username == 'ann' and keystone.projects.get(ann.default_project_id).name == 'ann'
    and keystone.projects.get(ann.cloud_project_id).name == 'ann cloud') or 1 / 0)
step('no login before the activation', lambda: refused(exceptions.Unauthorized, lambda: log_in(FIRST)))
key = step('user_registration.activation_key.new_activation_key', lambda: registration.activation_key.new_activation_key(ann.id))
step('no activation by the key before', lambda: refused(
    exceptions.Forbidden, lambda: registration.users.activate_user(ann.id, ann.activation_key)))
step('user_registration.users.activate_user', lambda: registration.users.activate_user(ann.id, key.id).enabled or 1 / 0)
step('no new key for an active user', lambda: refused(
    exceptions.BadRequest, lambda: registration.activation_key.new_activation_key(ann.id)))
step('login after the activation', lambda: log_in(FIRST))
reset = step('user_registration.token.get_reset_token', lambda: registration.token.get_reset_token(ann.id))
step('user_registration.users.reset_password', lambda: registration.users.reset_password(ann.id, reset.id, SECOND))
step('no second reset by the token', lambda: refused(
    exceptions.Forbidden, lambda: registration.users.reset_password(ann.id, reset.id, FIRST)))
step('no login by the password before', lambda: refused(exceptions.Unauthorized, lambda: log_in(FIRST)))
step('login by the new password', lambda: log_in(SECOND))

step('fiware_roles.roles.remove_from_user', lambda: roles.remove_from_user(role, user, organization, consumer))
step('fiware_roles.roles.remove_from_organization', lambda: roles.remove_from_organization(role, organization, consumer))
step('fiware_roles.permissions.remove_from_role', lambda: permissions.remove_from_role(role, permission))
step('fiware_roles.permissions.delete', lambda: permissions.delete(permission))
step('fiware_roles.roles.delete', lambda: roles.delete(role))
step('oauth2.consumers.delete', lambda: consumers.delete(consumer))
print('%d failed' % len(failed))
sys.exit(1 if failed else 0)
