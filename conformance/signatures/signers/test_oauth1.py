"""The three steps of OAuth1 and the login, by python-keystoneclient, keystoneauth and oauthlib."""
import unittest
import urllib.parse

import requests
from keystoneauth1 import session
from keystoneauth1.extras import oauth1 as auth_plugins
from oauthlib import oauth1

from signers.service import address, admin, keystone

LOGIN = {'auth': {'identity': {'methods': ['oauth1'], 'oauth1': {}}}}


class OAuth1(unittest.TestCase):
    def setUp(self):
        self.consumer = keystone().oauth1.consumers.create(description='signs its requests')
        self.addCleanup(keystone().oauth1.consumers.delete, self.consumer)

    def access_token(self):
        key, secret = self.consumer.id, self.consumer.secret
        project = admin().get_project_id()
        request = keystone().oauth1.request_tokens.create(key, secret, project)
        [role] = keystone().roles.list(name='admin')
        verifier = keystone().oauth1.request_tokens.authorize(request.key, [role.id]).oauth_verifier
        return keystone().oauth1.access_tokens.create(key, secret, request.key, request.secret, verifier)

    def signer(self, token=None, **parts):
        owner = {'resource_owner_key': token.key, 'resource_owner_secret': token.secret} if token else {}
        return oauth1.Client(self.consumer.id, **{'client_secret': self.consumer.secret, **owner, **parts})

    def log_in(self, signer, query=''):
        url = address('/auth/tokens') + query
        _, headers, _ = signer.sign(url, http_method='POST')
        return requests.post(url, json=LOGIN, headers=headers, timeout=60)

    def test_all_steps(self):
        token = self.access_token()
        plugin = auth_plugins.V3OAuth1(
            address(''),
            consumer_key=self.consumer.id,
            consumer_secret=self.consumer.secret,
            access_key=token.key,
            access_secret=token.secret,
        )
        access = session.Session(auth=plugin).auth.get_access(session.Session())
        self.assertEqual(token.key, access.oauth_access_token_id)
        self.assertEqual(self.consumer.id, access.oauth_consumer_id)
        self.assertEqual(admin().get_user_id(), access.user_id)
        self.assertIn('admin', access.role_names)

    def test_when_a_token_ends(self):
        """The text is split and not decoded by some clients."""
        signer = self.signer(callback_uri='oob')
        project = {'Requested-Project-Id': admin().get_project_id()}
        _, headers, _ = signer.sign(address('/OS-OAUTH1/request_token'), http_method='POST', headers=project)
        answer = requests.post(address('/OS-OAUTH1/request_token'), headers=headers, timeout=60)
        self.assertEqual(201, answer.status_code, answer.text)
        by_splitting = dict(part.split('=') for part in answer.text.split('&'))
        self.assertEqual(by_splitting, dict(urllib.parse.parse_qsl(answer.text)))
        self.assertRegex(by_splitting['oauth_expires_at'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$')

    def test_methods(self):
        token = self.access_token()
        for method in [oauth1.SIGNATURE_HMAC_SHA1, oauth1.SIGNATURE_HMAC_SHA256, oauth1.SIGNATURE_HMAC_SHA512]:
            answer = self.log_in(self.signer(token, signature_method=method, realm='a realm'))
            self.assertEqual(201, answer.status_code, (method, answer.text))

    def test_query(self):
        token = self.access_token()
        answer = self.log_in(self.signer(token), '?b=%20%7E&a=Zo%C3%AB&a=%2B%2F%3D&nocatalog')
        self.assertEqual(201, answer.status_code, answer.text)

    def test_refusals(self):
        token = self.access_token()
        for other in [{'client_secret': 'x'}, {'resource_owner_secret': 'x'}, {'timestamp': '1500000000'}]:
            self.assertIn(self.log_in(self.signer(token, **other)).status_code, [400, 401], other)
        _, headers, _ = self.signer(token).sign(address('/auth/tokens'), http_method='POST')
        answer = requests.post(address('/auth/tokens?nocatalog'), json=LOGIN, headers=headers, timeout=60)
        self.assertEqual(401, answer.status_code, 'another address than the one that was signed')

    def test_the_same_request_again(self):
        token = self.access_token()
        signer = self.signer(token, nonce='once', timestamp=None)
        url = address('/auth/tokens')
        _, headers, _ = signer.sign(url, http_method='POST')
        first, second = (requests.post(url, json=LOGIN, headers=headers, timeout=60) for _ in range(2))
        self.assertEqual([201, 401], [first.status_code, second.status_code])
