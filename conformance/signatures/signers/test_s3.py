"""Requests to S3, signed by botocore. Services such as Swift's S3 API send the text that was signed, in base64."""
import base64
import unittest

from botocore import auth as aws
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from signers.service import admin, ask, key

URL = 'http://s3.example.org/bucket/a%20file%20~%20of%20Zo%C3%AB?acl'


def noting(signer):
    """The same signer, which notes what it signs."""

    class Noting(signer):
        def signature(self, string_to_sign, request):
            self.text, self.made = string_to_sign, super().signature(string_to_sign, request)
            return self.made

        def sign_string(self, string_to_sign):
            self.text, self.made = string_to_sign, super().sign_string(string_to_sign)
            return self.made

    return Noting


class Botocore(unittest.TestCase):
    def check(self, signer, *scope, **parts):
        signing = noting(signer)(Credentials(key().access, key().secret), *scope)
        signing.add_auth(AWSRequest(method='PUT', url=URL, **parts))
        text = base64.b64encode(signing.text.encode()).decode()
        request = {'access': key().access, 'signature': signing.made, 'token': text}
        answer = ask('/s3tokens', request)
        self.assertEqual(200, answer.status_code, answer.text)
        self.assertEqual(admin().get_user_id(), answer.json()['token']['user']['id'])
        altered = base64.b64encode(signing.text.replace('20', '21').encode() + b' ').decode()
        for other in [{'token': altered}, {'signature': signing.made[::-1]}]:
            self.assertEqual(401, ask('/s3tokens', {**request, **other}).status_code)

    def test_version_2(self):
        self.check(aws.HmacV1Auth, data=b'content', headers={'Content-Type': 'text/plain', 'X-Amz-Meta-Colour': 'green'})

    def test_version_2_presigned(self):
        self.check(aws.HmacV1QueryAuth)

    def test_version_4(self):
        self.check(aws.S3SigV4Auth, 's3', 'RegionOne', data=b'content', headers={'Content-Type': 'text/plain'})

    def test_version_4_presigned(self):
        self.check(aws.S3SigV4QueryAuth, 's3', 'RegionOne')

    def test_version_4_for_other_services(self):
        for service in ['iam', 'sts']:
            self.check(aws.SigV4Auth, service, 'RegionOne', data=b'content')
