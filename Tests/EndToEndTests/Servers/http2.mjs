// HTTP/2 with the library of Node.js, as a server and as a client behind a proxy.
//
//   node http2.mjs serve [CERTIFICATE KEY]    prints the port; then, for each stream that the client
//                                             resets, its path and the code
//   node http2.mjs ask WAY PROXY TARGET [CA]  asks for every path of the server and prints what came,
//                                             a line of JSON each; ports are numbers
//
// WAY: tunnel (prior knowledge inside CONNECT), tls (ALPN inside CONNECT), stream (prior knowledge
// inside CONNECT that is a stream), listener (prior knowledge to the proxy itself).

import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import tls from 'node:tls';

const { NGHTTP2_CANCEL } = http2.constants;

// MARK: Server

const answers = {
    '/echo'(stream, headers) {
        let body = '';
        stream.setEncoding('utf8');
        stream.on('data', (piece) => body += piece);
        stream.on('trailers', (trailers) => stream.clientTrailers = trailers);
        stream.on('end', () => {
            const came = { method: headers[':method'], cookie: headers.cookie, body };
            if (stream.clientTrailers) came.trailer = stream.clientTrailers['x-sum'];
            stream.respond({ ':status': 200, 'content-type': 'application/json' });
            stream.end(JSON.stringify(came));
        });
    },
    '/trailers'(stream) {
        stream.respond({ ':status': 200, 'x-a': '1' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'x-end': 'whole' }));
        stream.end('body');
    },
    '/hints'(stream) {
        stream.additionalHeaders({ ':status': 103, link: '</a.css>; rel=preload' });
        stream.respond({ ':status': 200 });
        stream.end('late');
    },
    '/reset'(stream) {
        stream.respond({ ':status': 200 });
        stream.write('half', () => stream.destroy(new Error('broken')));
    },
    '/slow'(stream) {
        stream.respond({ ':status': 200 });
        stream.write('begun');
        stream.on('close', () => console.log(`/slow ${stream.rstCode}`));
    },
};

function serve(certificate, key) {
    const server = certificate
        ? http2.createSecureServer({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key) })
        : http2.createServer();
    server.on('stream', (stream, headers) => {
        stream.on('error', () => {});
        answers[headers[':path'].split('?')[0]](stream, headers);
    });
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
    const url = `http://${target}`;
    switch (way) {
    case 'listener':
        return http2.connect(`http://127.0.0.1:${proxy}`);
    case 'stream': {
        const outer = http2.connect(`http://127.0.0.1:${proxy}`);
        const tunnel = outer.request({ ':method': 'CONNECT', ':authority': target });
        const inner = http2.connect(url, { createConnection: () => tunnel });
        inner.on('close', () => outer.close());
        return inner;
    }
    case 'tls': {
        const socket = await connected(proxy, target);
        return http2.connect(`https://${target}`, {
            createConnection: () => tls.connect({
                socket, servername: 'localhost', ALPNProtocols: ['h2'], ca: fs.readFileSync(ca),
            }),
        });
    }
    default: {
        const socket = await connected(proxy, target);
        return http2.connect(url, { createConnection: () => socket });
    }
    }
}

function ask(session, authority, scheme, path, { method = 'GET', body, trailers, cancels } = {}) {
    return new Promise((resolve) => {
        const came = { path: path.split('?')[0], hints: [], body: '' };
        const stream = session.request({
            ':method': method, ':scheme': scheme, ':authority': authority, ':path': path,
            cookie: ['a=1', 'b=2'],
        }, { waitForTrailers: trailers !== undefined, endStream: body === undefined });
        stream.setEncoding('utf8');
        stream.on('headers', (headers) => came.hints.push(`${headers[':status']} ${headers.link}`));
        stream.on('response', (headers) => came.status = headers[':status']);
        stream.on('data', (piece) => {
            came.body += piece;
            if (cancels) stream.close(NGHTTP2_CANCEL);
        });
        stream.on('trailers', (fields) => came.trailer = fields['x-end']);
        stream.on('wantTrailers', () => stream.sendTrailers(trailers));
        stream.on('error', () => {});
        stream.on('close', () => {
            came.code = stream.rstCode;
            resolve(came);
        });
        if (body !== undefined) stream.end(body);
    });
}

async function askAll(way, proxy, port, ca) {
    const target = `localhost:${port}`;
    const scheme = way === 'tls' ? 'https' : 'http';
    const client = await session(way, proxy, target, ca);
    client.on('error', (error) => console.log(JSON.stringify({ error: String(error) })));
    const get = (path, options) => ask(client, target, scheme, path, options);
    const results = [
        await get('/echo?q=a%20b'),
        await get('/echo', {
            method: 'POST', body: 'some body', trailers: { 'x-sum': '9' },
        }),
        await get('/trailers'),
        await get('/hints'),
        await get('/reset'),
        await get('/slow', { cancels: true }),
    ];
    for (const result of results) console.log(JSON.stringify(result));
    client.close();
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'serve') serve(...rest);
else await askAll(...rest);
