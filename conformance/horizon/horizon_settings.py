"""The settings of Debian's Horizon, as they are, with the address of the service under test."""

import os

from openstack_dashboard.settings import *  # noqa: F401,F403

ALLOWED_HOSTS = ['127.0.0.1']
SECRET_KEY = os.environ['HORIZON_SECRET_KEY']
OPENSTACK_KEYSTONE_URL = os.environ['KEYSTONE_URL']
OPENSTACK_KEYSTONE_MULTIDOMAIN_SUPPORT = True
WEBSSO_ENABLED = True
WEBSSO_CHOICES = (
    ('credentials', 'Name and password'),
    ('openid', 'Gatehouse'),
    ('harbour', 'Harbour'),
)
WEBSSO_IDP_MAPPING = {'harbour': ('harbour', 'openid')}
