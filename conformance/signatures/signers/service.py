"""The service under test, as an administrator sees it, and keys to sign with."""
import functools
import os

import yaml
from keystoneauth1 import session
from keystoneauth1.identity import v3
from keystoneclient.v3 import client


@functools.lru_cache(maxsize=None)
def cloud():
    with open(os.environ['OS_CLIENT_CONFIG_FILE'], encoding='utf-8') as file:
        return yaml.safe_load(file)['clouds']['devstack-admin']


@functools.lru_cache(maxsize=None)
def admin():
    return session.Session(auth=v3.Password(**cloud()['auth']))


@functools.lru_cache(maxsize=None)
def keystone():
    return client.Client(session=admin(), interface='public', region_name=cloud()['region_name'])


def address(path):
    return cloud()['auth']['auth_url'] + path


def ask(path, request):
    """How services ask who signed a request."""
    return admin().post(address(path), json={'credentials': request}, authenticated=True, raise_exc=False)


@functools.lru_cache(maxsize=None)
def key():
    """An EC2 key of the administrator."""
    return keystone().ec2.create(admin().get_user_id(), admin().get_project_id())
