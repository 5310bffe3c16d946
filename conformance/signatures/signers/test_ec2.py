"""Requests for EC2, signed by python-keystoneclient and by botocore, and described as services of OpenStack describe them."""
import copy
import hashlib
import time
import unittest
import urllib.parse

from botocore import auth as aws
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from keystoneclient.contrib.ec2 import utils as ec2_utils

from signers.service import admin, ask, key

HOST = 'ec2.example.org:8773'
PATH = '/services/Cloud'
ACTION = {'Action': 'DescribeImages', 'Filter.1.Value': 'Zoë (all) ~*!/+=&', 'Owner.1': 'self'}


def now(form='%Y-%m-%dT%H:%M:%SZ', ago=0):
    return time.strftime(form, time.gmtime(time.time() - ago))


class SignedRequests(unittest.TestCase):
    def accept(self, request):
        answer = ask('/ec2tokens', request)
        self.assertEqual(200, answer.status_code, answer.text)
        self.assertTrue(answer.headers['X-Subject-Token'])
        token = answer.json()['token']
        self.assertEqual(admin().get_user_id(), token['user']['id'])
        self.assertEqual(admin().get_project_id(), token['project']['id'])

    def refuse(self, request, **changes):
        answer = ask('/ec2tokens', {**copy.deepcopy(request), **changes})
        self.assertEqual(401, answer.status_code, answer.text)

    def check(self, request):
        """Accepted as it is, and refused with a change."""
        self.accept(request)
        self.refuse(request, path='/other')
        self.refuse(request, signature=request['signature'][::-1])


class Keystoneclient(SignedRequests):
    def signed(self, params, verb='GET', headers=None, body=b''):
        request = {
            'verb': verb,
            'host': HOST,
            'path': PATH,
            'params': dict(params),
            'headers': headers or {},
            'body_hash': hashlib.sha256(body).hexdigest(),
        }
        signature = ec2_utils.Ec2Signer(key().secret).generate(request)
        return {**request, 'access': key().access, 'signature': signature}

    def test_version_0(self):
        request = self.signed({**ACTION, 'SignatureVersion': '0', 'Timestamp': now()})
        self.accept(request)
        self.refuse(request, params={**request['params'], 'Action': 'Other'})

    def test_version_1(self):
        request = self.signed({**ACTION, 'SignatureVersion': '1', 'Timestamp': now()})
        self.accept(request)
        self.refuse(request, params={**request['params'], 'Action': 'Other'})

    def test_version_2(self):
        self.check(self.signed({**ACTION, 'SignatureVersion': '2', 'Timestamp': now()}))

    def test_version_2_of_a_day_ago(self):
        self.refuse(self.signed({**ACTION, 'SignatureVersion': '2', 'Timestamp': now(ago=86400)}))

    def test_version_2_without_a_time(self):
        """As OpenStack Heat signs the addresses of alarms."""
        self.check(self.signed({'SignatureVersion': '2', 'AWSAccessKeyId': key().access}, verb='POST'))

    def test_version_4(self):
        scope = '%s/RegionOne/ec2/aws4_request' % now('%Y%m%d')
        authorization = 'AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=host;x-amz-date, Signature=x' % (key().access, scope)
        headers = {'Host': HOST, 'X-Amz-Date': now('%Y%m%dT%H%M%SZ'), 'Authorization': authorization}
        self.check(self.signed(ACTION, headers=headers))


class Botocore(SignedRequests):
    """What the AWS command line and boto3 send."""

    credentials = property(lambda self: Credentials(key().access, key().secret))

    def described(self, request, body=b''):
        """As a service gets it."""
        prepared = request.prepare()
        query = urllib.parse.urlsplit(prepared.url).query
        params = dict(urllib.parse.parse_qsl(query) + urllib.parse.parse_qsl(body.decode()))
        headers = {name.title(): value if isinstance(value, str) else value.decode() for name, value in prepared.headers.items()}
        authorization = headers.get('Authorization', '')
        signature = params.pop('Signature', None) or params.pop('X-Amz-Signature', None)
        return {
            'access': key().access,
            'signature': signature or authorization.partition('Signature=')[2],
            'verb': prepared.method,
            'host': HOST,
            'path': PATH,
            'params': params,
            'headers': {'Host': HOST, **headers},
            'body_hash': hashlib.sha256(body).hexdigest(),
        }

    def request(self, method='GET', **parts):
        return AWSRequest(method=method, url='http://%s%s' % (HOST, PATH), **parts)

    def test_version_2_get(self):
        request = self.request(params=dict(ACTION))
        aws.SigV2Auth(self.credentials).add_auth(request)
        self.check(self.described(request))

    def test_version_2_post(self):
        request = self.request('POST', data=dict(ACTION))
        aws.SigV2Auth(self.credentials).add_auth(request)
        self.check(self.described(request, urllib.parse.urlencode(request.data).encode()))

    def test_version_4_get(self):
        request = self.request(params=dict(ACTION))
        aws.SigV4Auth(self.credentials, 'ec2', 'RegionOne').add_auth(request)
        self.check(self.described(request))

    def test_version_4_post(self):
        body = urllib.parse.urlencode(ACTION).encode()
        headers = {'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8'}
        request = self.request('POST', data=body, headers=headers)
        aws.SigV4Auth(self.credentials, 'ec2', 'RegionOne').add_auth(request)
        described = self.described(request, body)
        self.check(described)
        self.refuse(described, body_hash=hashlib.sha256(b'another').hexdigest())

    def test_version_4_presigned(self):
        request = self.request(params=dict(ACTION))
        aws.SigV4QueryAuth(self.credentials, 'ec2', 'RegionOne', expires=60).add_auth(request)
        self.check(self.described(request))


del SignedRequests
