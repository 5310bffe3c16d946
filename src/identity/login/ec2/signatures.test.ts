import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { isS3Signature } from './s3-signatures.ts';
import { checkSignature, type SignedRequest } from './signatures.ts';

const WITHOUT_PORT = 'ak0sESllG+0B93GoWqRlzTw+3lWsE2hfXGFP51qWHqM=';
const V4_GET = '6c262156fe19779574e82f95ab19b1bd1ab3b1156fe8252ed2c04036d278b277';
const V4_POST = '7a2bda1eec6569b29227dd3297f951a5724180974fbb3ae7bbd8edb0f17d9544';
const V4_QUERY = 'fc9b515daf189bbfa5a6e9c8ee8277faed06b62856c699e3b3cd3384ddda37cc';
const V2_TIMELESS = 'd8kkmoun+hkAcglUeV6mxxRUmw5UAbjoEVFt9P5gPbM=';
const V2_EXPIRES = '5SMLKmeZn7oBDUKZGRmZV1KuIfUbSttQK5qXR2kD9Os=';
const SECRET = '66ef3ee0b4674a8b9bd5f2d2ffdb33b1';
const NOW = Date.parse('2026-11-17T09:00:00Z');
const TIMES = { now: NOW, leewayMs: 900_000, allowTimeless: false };
const TIMELESS = { ...TIMES, allowTimeless: true };

const request = (values: Partial<SignedRequest>): SignedRequest => ({
  verb: 'GET',
  host: 'ec2.example.org:8773',
  path: '/services/Cloud',
  params: {},
  headers: {},
  bodyHash: '',
  ...values,
});

/** Signatures that python3-keystoneclient 5.0.1 made of the same requests. */
describe('Signatures of EC2', () => {
  const Timestamp = '2026-11-17T09:00:00Z';
  const plain = { Action: 'Test (all) ~*!', Timestamp };

  it('are those of python-keystoneclient, in versions 0, 1 and 2', () => {
    const known: [version: string, signature: string][] = [
      ['0', 'GpSj0EZpbhkN+K+fdu9d9rNGZCA='],
      ['1', '0ES2iao41efTvl3rJwaDqqoNqCY='],
      ['2', 'VCg8fiue4aENrHIt6AP/FvPua8dygbZNfpYXNm2EuhI='],
    ];
    for (const [SignatureVersion, signature] of known) {
      const params = { ...plain, SignatureVersion, 'User.1': 'Zoë/+=&', accessKey: 'x' };
      assert.equal(checkSignature(request({ params }), signature, SECRET, TIMES), 'good', SignatureVersion);
      const altered = { ...params, Action: 'Other' };
      assert.equal(checkSignature(request({ params: altered }), signature, SECRET, TIMES), 'wrong', SignatureVersion);
    }
  });

  it('of version 2 may leave out the port', () => {
    const params = { ...plain, SignatureVersion: '2' };
    assert.equal(checkSignature(request({ params }), WITHOUT_PORT, SECRET, TIMES), 'good');
    const elsewhere = request({ params, host: 'other.example.org:8773' });
    assert.equal(checkSignature(elsewhere, WITHOUT_PORT, SECRET, TIMES), 'wrong');
  });

  const headers = {
    Host: 'ec2.example.org',
    'X-Amz-Date': '20261117T090000Z',
    Authorization:
      'AWS4-HMAC-SHA256 Credential=key/20261117/RegionOne/ec2/aws4_request, SignedHeaders=host;x-amz-date, Signature=ignored',
  };
  const bodyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

  it('are those of python-keystoneclient in version 4, and cover query, body and headers', () => {
    const signed = request({ params: { Action: 'Test' }, headers, bodyHash });
    assert.equal(checkSignature(signed, V4_GET, SECRET, TIMES), 'good');
    const changes: Partial<SignedRequest>[] = [
      { params: { Action: 'Other' } },
      { bodyHash: bodyHash.replace('e3', 'e4') },
      { path: '/' },
      { verb: 'POST' },
      { headers: { ...headers, Host: 'other.example.org' } },
      { headers: { ...headers, 'X-Amz-Date': '20261117T090001Z' } },
      { headers: { ...headers, Authorization: headers.Authorization.replace('RegionOne', 'RegionTwo') } },
    ];
    for (const change of changes)
      assert.equal(checkSignature({ ...signed, ...change }, V4_GET, SECRET, TIMES), 'wrong', JSON.stringify(change));
    const inQuery = {
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'key/20261117/RegionOne/ec2/aws4_request',
      'X-Amz-Date': '20261117T090000Z',
      'X-Amz-SignedHeaders': 'host',
    };
    const presigned = request({ params: inQuery, headers: { Host: 'ec2.example.org' }, bodyHash });
    assert.equal(checkSignature(presigned, V4_QUERY, SECRET, TIMES), 'good');
  });

  it('are for a quarter of an hour, and only a time that was signed counts', () => {
    const at = (minutes: number) => ({ ...TIMES, now: NOW + minutes * 60_000 });
    const signed = request({ verb: 'POST', params: {}, headers, bodyHash });
    for (const [minutes, check] of [
      [15, 'good'],
      [16, 'not in time'],
      [-15, 'good'],
      [-16, 'not in time'],
    ] as const)
      assert.equal(checkSignature(signed, V4_POST, SECRET, at(minutes)), check, `${minutes}`);
    // The parameters of a POST are not signed in version 4.
    const later = { ...signed, params: { Timestamp: '2026-11-17T11:00:00Z', 'X-Amz-Date': '20261117T110000Z' } };
    assert.equal(checkSignature(later, V4_POST, SECRET, at(120)), 'not in time');
    const timeless = request({ params: { Action: 'Test', SignatureVersion: '2' } });
    assert.equal(checkSignature(timeless, V2_TIMELESS, SECRET, TIMES), 'not in time');
    assert.equal(checkSignature(timeless, V2_TIMELESS, SECRET, TIMELESS), 'good');
    assert.equal(checkSignature({ ...timeless, verb: 'POST' }, V2_TIMELESS, SECRET, TIMELESS), 'wrong');
    const expiring = request({ params: { Action: 'Test', SignatureVersion: '2', Expires: '2026-11-17T10:00:00Z' } });
    assert.equal(checkSignature(expiring, V2_EXPIRES, SECRET, at(59)), 'good');
    assert.equal(checkSignature(expiring, V2_EXPIRES, SECRET, at(61)), 'not in time');
    assert.equal(checkSignature(expiring, V2_EXPIRES, SECRET, { ...at(61), allowTimeless: true }), 'not in time');
  });

  it('of version 1 always need a time: the one that was signed can be hidden in another value', () => {
    const params = { Action: 'Test', SignatureVersion: '1', SomeName: 'x', Timestamp: '2026-11-17T07:00:00Z' };
    const text = Object.entries(params).flat().join('');
    const signature = createHmac('sha1', SECRET).update(text).digest('base64');
    assert.equal(checkSignature(request({ params }), signature, SECRET, TIMELESS), 'not in time');
    const hidden = { Action: 'Test', SignatureVersion: '1', SomeName: 'xTimestamp2026-11-17T07:00:00Z' };
    assert.equal(checkSignature(request({ params: hidden }), signature, SECRET, TIMELESS), 'not in time');
  });

  it('are wrong when parts are missing, whatever is sent instead', () => {
    const bad: Partial<SignedRequest>[] = [
      {},
      { params: { SignatureVersion: '3' } },
      { params: { SignatureVersion: '0' } },
      { headers: { Authorization: 'AWS4-HMAC-SHA256' } },
      { headers: { Authorization: 'AWS4-HMAC-SHA256 Credential=//' } },
      { headers: { ...headers, 'X-Amz-Date': '20251117T090000Z' } },
      { params: { 'X-Amz-Algorithm': 'AWS4-HMAC-SHA256' } },
      { headers: { Authorization: 'Basic x' }, params: { 'X-Amz-Algorithm': 'AWS4-HMAC-SHA256' } },
    ];
    for (const one of bad) assert.equal(checkSignature(request(one), '', SECRET, TIMES), 'wrong', JSON.stringify(one));
  });
});

/** Keystone's own test vectors (test_contrib_s3_core.py). */
describe('Signatures of S3', () => {
  const old = 'b121dd41cdcc42fe9f70e572e84295aa';
  const text =
    'UFVUCjFCMk0yWThBc2dUcGdBbVk3UGhDZmc9PQphcHBsaWNhdGlvbi9vY3RldC1zdHJlYW0KVHVlLCAxMSBEZWMgMjAxMiAyMTo0MTo0MSBHTVQKL2NvbnRfczMvdXBsb2FkZWRfZnJvbV9zMy50eHQ=';
  const secret = 'e7a7a2240136494986991a6598d9fb9f';
  const text4 = (service: string, end = '/aws4_request'): string =>
    Buffer.from(
      `AWS4-HMAC-SHA256\n20150824T112041Z\n20150824/RegionOne/${service}${end}\nf22155 80eeb9a167351bd93e86c3b6f04a928f5c5520a3935a453540a09564b5`.replace(
        ' ',
        '',
      ),
    ).toString('base64');

  it('are those of Keystone in both versions', () => {
    assert.ok(isS3Signature(text, 'IL4QLcLVaYgylF9iHj6Wb8BGZsw=', old));
    assert.ok(!isS3Signature(text, 'IL4QLcLVaYgylF9iHj6Wb8BGZsx=', old));
    const known = {
      s3: '730ba8f58df6ffeadd78f402e990b2910d60bc5c2aec63619734f096a4dd77be',
      iam: 'db4e15b3040f6afaa9d9d16002de2fc3425beea0c6ea8c1b2bb674f052030b7d',
      sts: '3aa0b6f1414b92b2a32584068f83c6d09b7fdaa11d4ea58912bbf1d8616ef56d',
    };
    for (const [service, signature] of Object.entries(known)) {
      assert.ok(isS3Signature(text4(service), signature, secret), service);
      assert.ok(!isS3Signature(text4(service), signature, old), service);
    }
  });

  it('are refused for another service, another scope and a text of another form', () => {
    assert.ok(!isS3Signature(text4('bad'), '1a2dec50eb1bba97887d1103c2ead6a3991198c4be2537cf14d40b64cceb888b', secret));
    assert.ok(!isS3Signature(text4('s3'), '52d02211a3767d00b2104ab28c9859003b0e9c8735cd10de7975f3b1212cca41', secret));
    assert.ok(!isS3Signature(text4('s3', ''), '28a075f1ee41e96c431153914998443ff0f55fe93d31b37181f13ff4865942a2', secret));
    for (const bad of ['', 'QVdTNC1BQUEKWApYClg=', 'QVdTNC1ITUFDLVNIQTI1NgpYCi8vczMvYXdzTl9yZXF1ZXN0Clg='])
      assert.ok(!isS3Signature(bad, '', secret));
  });
});
