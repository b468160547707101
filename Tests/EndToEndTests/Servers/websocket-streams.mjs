// WebSockets on streams of HTTP/2 (RFC 8441) with the library of Node.js, as a server and as a
// client behind a proxy.
//
//   node websocket-streams.mjs serve [CERTIFICATE KEY]    HTTP/2 that takes extended CONNECT
//   node websocket-streams.mjs refuse                     HTTP/2 that does not
//   node websocket-streams.mjs upgrade CERTIFICATE KEY    HTTP/1.1 over TLS that takes Upgrade
//                                                         print the port; then, for each WebSocket
//                                                         that is over, its path and how it ended
//   node websocket-streams.mjs look WAY PROXY TARGET [CA]   prints whether extended CONNECT is offered
//   node websocket-streams.mjs ask WAY PROXY TARGET [CA]  opens WebSockets and prints what came, a
//                                                         line of JSON each; ports are numbers
//
// WAY: tunnel (prior knowledge inside CONNECT), tls (ALPN inside CONNECT), listener (prior
// knowledge to the proxy itself), listener-tls (the same, for a server with TLS), reverse-tls (ALPN
// at a reverse listener, whose port is PROXY).

import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import http2 from 'node:http2';
import tls from 'node:tls';

const { NGHTTP2_CANCEL } = http2.constants;
const BURST = 2 << 20;

// MARK: Frames of WebSocket (RFC 6455 §5)

function frame(opcode, payload, masked) {
    const length = payload.length < 126 ? Buffer.of(payload.length)
        : payload.length < 65536 ? Buffer.of(126, payload.length >> 8, payload.length & 255)
        : Buffer.concat([Buffer.of(127), Buffer.from(BigInt(payload.length).toString(16)
            .padStart(16, '0'), 'hex')]);
    const head = Buffer.concat([Buffer.of(0x80 | opcode), length]);
    if (!masked) return Buffer.concat([head, payload]);
    head[1] |= 0x80;
    const mask = crypto.randomBytes(4);
    return Buffer.concat([head, mask, payload.map((octet, place) => octet ^ mask[place & 3])]);
}

/// Calls back with each whole frame of a stream of bytes.
function readFrames(stream, take) {
    let pending = Buffer.alloc(0);
    stream.on('data', (piece) => {
        pending = Buffer.concat([pending, piece]);
        while (pending.length >= 2) {
            let length = pending[1] & 0x7f;
            let start = 2;
            if (length >= 126) {
                start = length === 126 ? 4 : 10;
                if (pending.length < start) return;
                length = length === 126 ? pending.readUInt16BE(2) : Number(pending.readBigUInt64BE(2));
            }
            const mask = pending[1] & 0x80 ? pending.subarray(start, start + 4) : undefined;
            if (mask) start += 4;
            if (pending.length < start + length) return;
            const payload = Buffer.from(pending.subarray(start, start + length));
            if (mask) payload.forEach((octet, place) => payload[place] = octet ^ mask[place & 3]);
            const opcode = pending[0] & 0x0f;
            pending = pending.subarray(start + length);
            take(opcode, payload);
        }
    });
}

// MARK: Servers

function converse(stream, path) {
    let end = 'lost';
    stream.on('error', () => {});
    stream.on('close', () => console.log(`${path} ${stream.rstCode ? `code ${stream.rstCode}` : end}`));
    readFrames(stream, (opcode, payload) => {
        if (opcode === 8) {
            end = `closed ${payload.readUInt16BE(0)}`;
            stream.end(frame(8, payload, false));
        } else if (opcode === 9) {
            stream.write(frame(10, payload, false));
        } else if (payload.toString() === 'burst') {
            stream.write(frame(2, Buffer.alloc(BURST, 0x62), false));
        } else if (payload.toString() === 'break') {
            // A stream is reset with INTERNAL_ERROR.
            stream.destroy(new Error('broken'));
        } else {
            stream.write(frame(opcode, Buffer.concat([Buffer.from('echo '), payload]), false));
        }
    });
}

function answer(stream, headers) {
    stream.on('error', () => {});
    const path = headers[':path'];
    if (headers[':protocol'] === undefined) {
        stream.respond({ ':status': 200 });
        stream.end('plain');
    } else if (path === '/refused') {
        stream.respond({ ':status': 403 });
        stream.end('not here');
    } else {
        stream.respond({ ':status': 200, 'sec-websocket-protocol': headers['sec-websocket-protocol'] });
        if (headers[':protocol'] === 'websocket') converse(stream, path);
        else stream.on('data', (piece) => stream.write(`opaque ${piece}`));
    }
}

function serve(settings, certificate, key) {
    const server = certificate
        ? http2.createSecureServer(
            { settings, cert: fs.readFileSync(certificate), key: fs.readFileSync(key) })
        : http2.createServer({ settings });
    server.on('stream', answer);
    listen(server);
}

function upgrade(certificate, key) {
    const server = https.createServer(
        { cert: fs.readFileSync(certificate), key: fs.readFileSync(key), ALPNProtocols: ['http/1.1'] },
        (request, response) => response.end('plain'));
    server.on('upgrade', (request, socket, early) => {
        socket.on('error', () => {});
        if (request.url === '/refused') {
            return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 8\r\n\r\nnot here');
        }
        const wanted = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
        socket.write([
            'HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade',
            `Sec-WebSocket-Accept: ${crypto.createHash('sha1').update(wanted).digest('base64')}`,
            `Sec-WebSocket-Protocol: ${request.headers['sec-websocket-protocol']}`, '', '',
        ].join('\r\n'));
        socket.unshift(early);
        converse(socket, request.url);
    });
    listen(server);
}

function listen(server) {
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
    process.stdin.on('end', () => process.exit(0)).resume();
}

// MARK: Client

function connected(proxy, target) {
    return new Promise((resolve, reject) => {
        const request = http.request({
            host: '127.0.0.1', port: proxy, method: 'CONNECT', path: target,
        });
        request.on('connect', (response, socket) => resolve(socket));
        request.on('error', reject);
        request.end();
    });
}

async function session(way, proxy, target, ca) {
    if (way.startsWith('listener')) return http2.connect(`http://127.0.0.1:${proxy}`);
    if (way === 'reverse-tls') {
        return http2.connect(`https://localhost:${proxy}`, { ca: fs.readFileSync(ca), lookup:
            (name, options, done) => done(null, options.all ? [{ address: '127.0.0.1', family: 4 }]
                : '127.0.0.1', 4) });
    }
    const socket = await connected(proxy, target);
    if (way === 'tunnel') return http2.connect(`http://${target}`, { createConnection: () => socket });
    return http2.connect(`https://${target}`, {
        createConnection: () => tls.connect({
            socket, servername: 'localhost', ALPNProtocols: ['h2'], ca: fs.readFileSync(ca),
        }),
    });
}

/// Waits until the server says that it takes extended CONNECT.
function offered(client) {
    return new Promise((resolve) => {
        const look = (settings) => settings.enableConnectProtocol && resolve(true);
        client.on('remoteSettings', look);
        if (client.remoteSettings) look(client.remoteSettings);
    });
}

class Conversation {
    constructor(client, target, path, protocol = 'websocket') {
        const [scheme, authority] = target;
        this.came = { path, messages: [] };
        this.waiting = [];
        this.stream = client.request({
            ':method': 'CONNECT', ':protocol': protocol, ':scheme': scheme, ':path': path,
            ':authority': authority, 'sec-websocket-version': '13', 'sec-websocket-protocol': 'chat',
        }, { endStream: false });
        this.stream.on('error', () => {});
        this.opened = new Promise((resolve) => this.stream.on('response', (headers) => {
            this.came.status = headers[':status'];
            this.came.protocol = headers['sec-websocket-protocol'];
            this.came.fields = Object.keys(headers).filter((name) => /key|accept|upgrade/.test(name));
            resolve();
        }));
        this.ended = new Promise((resolve) => this.stream.on('close', () => {
            this.came.code = this.stream.rstCode;
            resolve(this.came);
        }));
        this.ended.then(() => this.waiting.forEach((resolve) => resolve()));
    }

    read() {
        // A reset ends the stream too, and has a code of its own.
        this.stream.on('end', () => setImmediate(() => this.stream.closed || this.stream.end()));
        readFrames(this.stream, (opcode, payload) => {
            this.came.messages.push(
                payload.length > 100 ? `${opcode} of ${payload.length}`
                    : opcode === 8 ? `8 ${payload.readUInt16BE(0)}` : `${opcode} ${payload}`);
            if (opcode === 8) this.stream.end();
            this.waiting.shift()?.();
        });
    }

    send(opcode, payload) { this.stream.write(frame(opcode, Buffer.from(payload), true)); }

    next() { return new Promise((resolve) => this.waiting.push(resolve)); }

    async exchange(opcode, payload) {
        const next = this.next();
        this.send(opcode, payload);
        await next;
    }

    async body() {
        let text = '';
        for await (const piece of this.stream) text += piece;
        this.came.body = text;
    }

    close(code) { this.send(8, [code >> 8, code & 255]); }
}

function get(client, [scheme, authority]) {
    return new Promise((resolve) => {
        const stream = client.request({ ':scheme': scheme, ':authority': authority, ':path': '/plain' });
        const came = { path: '/plain' };
        stream.on('response', (headers) => came.status = headers[':status']);
        stream.on('data', () => {});
        stream.on('error', () => {});
        stream.on('close', () => resolve(came));
    });
}

async function ask(way, proxy, port, ca) {
    const authority = `localhost:${port}`;
    const target = [way.endsWith('tls') ? 'https' : 'http', authority];
    const client = await session(way, proxy, authority, ca);
    client.on('error', (error) => console.log(JSON.stringify({ error: String(error) })));
    const results = [];
    // To a proxy that may lead anywhere, the first request says where.
    if (way.startsWith('listener')) results.push(await get(client, target));
    await offered(client);

    const slow = new Conversation(client, target, '/slow');
    await slow.opened;
    slow.send(1, 'burst');

    const chat = new Conversation(client, target, '/chat');
    await chat.opened;
    chat.read();
    await chat.exchange(1, 'hello');
    await chat.exchange(9, 'are you there');
    await chat.exchange(2, Buffer.alloc(70_000, 0x61));
    results.push(await get(client, target));
    chat.close(1000);
    results.push(await chat.ended);

    // Only now is anything read of the other one.
    const burst = slow.next();
    slow.read();
    await burst;
    slow.close(1001);
    results.push(await slow.ended);

    const refused = new Conversation(client, target, '/refused');
    await refused.opened;
    await refused.body();
    refused.stream.close();
    results.push(await refused.ended);

    const broken = new Conversation(client, target, '/broken');
    await broken.opened;
    broken.read();
    await broken.exchange(1, 'break');
    results.push(await broken.ended);

    const cancelled = new Conversation(client, target, '/cancelled');
    await cancelled.opened;
    cancelled.read();
    await cancelled.exchange(1, 'hello');
    cancelled.stream.close(NGHTTP2_CANCEL);
    results.push(await cancelled.ended);

    const opaque = new Conversation(client, target, '/opaque', 'x-opaque');
    await opaque.opened;
    if (opaque.came.status === 200) {
        opaque.stream.write('bytes');
        opaque.came.body = await new Promise((resolve) => opaque.stream.once('data', resolve))
            .then(String);
        opaque.stream.end();
        opaque.stream.close(NGHTTP2_CANCEL);
    } else {
        await opaque.body();
        opaque.stream.close();
    }
    results.push(await opaque.ended);

    for (const result of results) console.log(JSON.stringify(result));
    client.close();
}

/// Whether anything is offered to a client whose server takes no extended CONNECT.
async function look(way, proxy, port, ca) {
    const authority = `localhost:${port}`;
    const target = [way.endsWith('tls') ? 'https' : 'http', authority];
    const client = await session(way, proxy, authority, ca);
    client.on('error', (error) => console.log(JSON.stringify({ error: String(error) })));
    const plain = await get(client, target);
    const isOffered = client.remoteSettings.enableConnectProtocol === true;
    console.log(JSON.stringify({ ...plain, isOffered }));
    client.close();
}

const [mode, ...rest] = process.argv.slice(2);
switch (mode) {
case 'serve': serve({ enableConnectProtocol: true }, ...rest); break;
case 'refuse': serve({}, ...rest); break;
case 'upgrade': upgrade(...rest); break;
case 'look': await look(...rest); break;
default: await ask(...rest);
}
