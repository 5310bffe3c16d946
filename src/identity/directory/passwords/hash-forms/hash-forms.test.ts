// The hashes were made by passlib 1.7.4.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importedHash, pbkdf2Text, readHash } from './index.ts';
import { shaCrypt } from './sha-crypt.ts';

const PASSWORD = 'correct hörse 1';
const HASHES = {
  bcrypt: [
    '$2b$04$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O',
    '$2y$04$nDqTTa1iOpFDzdWalgL53uYJB1hWMCiupkQypRQTB610XL/n3u89a',
    '$2a$04$4.fbfELGQvivcRd3NODdDeI/AJk9eGa8d0.EkcarrPIcMZJI3m4Fq',
  ],
  'bcrypt-sha256': [
    '$bcrypt-sha256$v=2,t=2b,r=4$wIxv4uw8zWX5FzMySDzmce$BivjQEKa9bE44.C0zgwaQsVKWPVYgsS',
    '$bcrypt-sha256$2b,4$TeEKeBcYf9bl/R6T7nTjj.$Dbo2XhtDml9d8AZoI90D/pt7vSQnzk2',
  ],
  scrypt: ['$scrypt$ln=4,r=8,p=1$lfIeQ6g15txbqzVmzPnf+w$Vtr60n76kzkMRVPGWE63/h+nDoLhu2m6G10mHDzlBY8'],
  PBKDF2: [
    '$pbkdf2$10$b20NIeS8d07pvTemtDZGSA$fm9Utf1htMqfkysK86nMaMaHadE',
    '$pbkdf2-sha256$10$kZIS4lzrfQ9hjPE.R8gZAw$qwZ3LhIYznV16V4UpLk6m6QuXUb7yIvkvfgJPbZuQtA',
    '$pbkdf2-sha512$10$XSvlHKMU4hwjJITwXotRSg$vAuRlGbVmGtHeSoqvGsk5/BHmGdqD8XstwwbGqgPOH9mHFLnO4oYwboloyERF/SywgsoTgSajWWgQArYbl/1CA',
  ],
  argon2: ['$argon2id$v=19$m=64,t=1,p=2$Vqo1xtg7ByCklFIKgXCuNQ$46gIk9VO0yUfhQXa28IRF6/RXCR4XENtfpHFM2R480A'],
  'SHA-crypt': [
    '$6$rounds=1000$Bph2rVn2Q/NAB/MJ$1xiYTcevLKwMiF5gZzXrtx7ueGSbD611A2RUo1PSGLwJ3E8f7bX546m8uz90rHQZQkAjE1Z0V6rMpn.IrZDMY1',
    '$6$HI0qcbvsQHqojnvu$d3mYbIik6fPcAww01LnamcrAhC8En5pw61qU5XKd6vNElLOYq9NZ2zK8IVYnDZ40Saw164ypYG/h.hg3prUaU.',
    '$5$rounds=1000$1s800ajvu0IG1oo4$wOMvvR/c8z7qngQBB9/7ZPtTeIueDKKo2ALL0PXi6i4',
  ],
  'LDAP digest': [
    '{SSHA}Km3l+EBEQ1j4pFCDeUv51gUDhqQa49wb',
    '{SSHA256}hyEHi2BKGMiDGlPyUFeOZoCNMtwtwEp/qoedKfYrr1XXeg9BiLF2zg==',
    '{SSHA512}NqlXm7hmIJFSEp8lD/BH8ebxbdfArUg6bJMqy4vLO+9oPOxWbigPRpAYvzX6EiY+np557whvrgLqXCbjbibNTX/PGQMgpNQa',
    '{MD5}F12KRgZChFNBmULV1LciWA==',
    '{SHA}eQu7MReJMwmKx2AfwB8SDsAWL7c=',
    '{SMD5}oTy7/3eLFZWT4CKPI+w+YmSs1fo=',
  ],
};

describe('A password hash of another system', () => {
  for (const [form, hashes] of Object.entries(HASHES))
    it(`is known as ${form}, and fits its password and no other`, async () => {
      for (const hash of hashes) {
        const read = readHash(hash)!;
        assert.deepEqual(importedHash(hash), { hash, form, standIn: read.standIn });
        assert.equal(await read.fits(PASSWORD), true, hash);
        for (const other of ['', `${PASSWORD} `, 'correct hõrse 1', PASSWORD.toUpperCase()])
          assert.equal(await read.fits(other), false, `${hash} ${other}`);
      }
    });

  it('of bcrypt knows the first 72 bytes, as in Keystone', async () => {
    const read = readHash('$2b$04$WmDFGVaRbVOb75MgX357DOrfR1XUe.elo8bj/bXL7Tz7rwHAI2SR6')!;
    assert.equal(await read.fits('ü'.repeat(60)), true);
    assert.equal(await read.fits('ü'.repeat(36)), true);
    assert.equal(await read.fits('ü'.repeat(35)), false);
  });

  it('may be of a password that is longer than a digest', async () => {
    const hash =
      '$6$rounds=1000$CvvECbiApAgTTPbU$xU7kV9Y3g0N5lGNtM3W60WqLQ9VrDHfXsH/RTLvk/lHXYVo.L/dWD2aLZniYTgij1q5ALuvwp5jvcrJbbiw5K.';
    assert.equal(await readHash(hash)!.fits('x'.repeat(100)), true);
    assert.equal(await readHash(hash)!.fits('x'.repeat(99)), false);
  });

  it('of SHA-crypt fits no password that would take minutes: each round reads all of it', async () => {
    const [rounds, salt] = [1000, 'Bph2rVn2Q/NAB/MJ'];
    for (const [length, fits] of [
      [512, true],
      [513, false],
    ] as const) {
      const password = 'x'.repeat(length);
      const read = readHash(`$6$rounds=${rounds}$${salt}$${shaCrypt('sha512', password, salt, rounds)}`)!;
      assert.equal(await read.fits(password), fits, `${length}`);
    }
  });

  it('is read as a directory writes it', () => {
    const found = importedHash(` {CRYPT}${HASHES['SHA-crypt'][1]}\n`);
    assert.deepEqual({ ...found, standIn: '' }, { hash: HASHES['SHA-crypt'][1], form: 'SHA-crypt', standIn: '' });
  });

  it("has another one that is nobody's and costs as much, if it costs anything", async () => {
    for (const [form, hashes] of Object.entries(HASHES))
      for (const hash of hashes) {
        const read = readHash(hash)!;
        assert.equal(read.standIn === undefined, read.cost === 0, form);
        if (read.standIn === undefined) continue;
        const other = readHash(read.standIn);
        assert.ok(other, read.standIn);
        assert.equal(other.cost, read.cost, form);
        assert.equal(await other.fits(PASSWORD), false);
        assert.equal(other.standIn, read.standIn, 'as many have one form as cost the same');
      }
  });

  it('is written in one form, wherever PBKDF2 has its parts', () => {
    const [salt, hash] = ['.kQ', 'qwZ3'].map((text) => Buffer.from(text.replaceAll('.', '+'), 'base64')) as [Buffer, Buffer];
    assert.equal(pbkdf2Text('sha256', { rounds: 7, salt, hash }), '$pbkdf2-sha256$7$.kQ$qwZ3');
    assert.equal(pbkdf2Text('sha1', { rounds: 7, salt, hash }), '$pbkdf2$7$.kQ$qwZ3');
  });

  it('of Keyrock is a keyed digest', async () => {
    // printf %s 'correct hörse 1' | openssl dgst -sha1 -hmac 5f1a
    const hash = '$keyrock-hmac-sha1$NWYxYQ$5fabe774d313a4667c0bbe66bce91dc462080f0d';
    assert.equal(await readHash(hash)!.fits(PASSWORD), true);
    assert.equal(await readHash(hash)!.fits('another'), false);
  });

  it('is refused if it is none, damaged, or would take long at every login', () => {
    for (const text of ['', 'plain text', '$9$abc', '{CLEARTEXT}abc', '$2b$', 'x'.repeat(3000), '{SSHA}', '$y$j9T$abc'])
      assert.deepEqual(Object.keys(importedHash(text)), ['problem'], text);
    for (const [form, [hash]] of Object.entries(HASHES))
      for (const text of [`${hash!.slice(0, -9)}!${hash!.slice(-8)}`, hash!.slice(0, -28)])
        assert.deepEqual(importedHash(text), { problem: 'damaged' }, form);
    // No such N with so small blocks: it could not be computed.
    assert.deepEqual(importedHash('$scrypt$ln=16,r=1,p=1$lfIeQ6g15txbqzVmzPnf+w$Vtr60n76kzkMRVPGWE63/h+nDoLhu2m6G10mHDzlBY8'), {
      problem: 'damaged',
    });
    for (const text of [
      '$2b$15$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O',
      '$2b$31$6Bh8Na50FJ0TlsIM2/ERa.KzigWVohqIROTDGJUeRmeXkpXF2/K0O',
      '$bcrypt-sha256$v=2,t=2b,r=31$wIxv4uw8zWX5FzMySDzmce$BivjQEKa9bE44.C0zgwaQsVKWPVYgsS',
      '$scrypt$ln=30,r=8,p=1$lfIeQ6g15txbqzVmzPnf+w$Vtr60n76kzkMRVPGWE63/h+nDoLhu2m6G10mHDzlBY8',
      '$scrypt$ln=16,r=8,p=999$lfIeQ6g15txbqzVmzPnf+w$Vtr60n76kzkMRVPGWE63/h+nDoLhu2m6G10mHDzlBY8',
      '$pbkdf2-sha256$99999999$kZIS4lzrfQ9hjPE.R8gZAw$qwZ3LhIYznV16V4UpLk6m6QuXUb7yIvkvfgJPbZuQtA',
      `$pbkdf2-sha256$1000000$kZIS4lzrfQ9hjPE.R8gZAw$${'qwZ3'.repeat(100)}`,
      '$argon2id$v=19$m=4194304,t=1,p=2$Vqo1xtg7ByCklFIKgXCuNQ$46gIk9VO0yUfhQXa28IRF6/RXCR4XENtfpHFM2R480A',
      '$argon2id$v=19$m=65536,t=9999,p=2$Vqo1xtg7ByCklFIKgXCuNQ$46gIk9VO0yUfhQXa28IRF6/RXCR4XENtfpHFM2R480A',
      '$6$rounds=999999999$Bph2rVn2Q/NAB/MJ$1xiYTcevLKwMiF5gZzXrtx7ueGSbD611A2RUo1PSGLwJ3E8f7bX546m8uz90rHQZQkAjE1Z0V6rMpn.IrZDMY1',
    ]) {
      assert.deepEqual(importedHash(text), { problem: 'costly' }, text);
      assert.equal(readHash(text), undefined);
    }
  });
});
