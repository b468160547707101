/// The script that makes Node's own HTTP clients use the proxy of the environment. Node does this
/// by itself since versions 22.21 and 24.5; before, only packages did.
enum NodeProxyScript {
    static let text = #"""
        'use strict';
        // Written by proxyctl: sends the requests of node:http, node:https and fetch through
        // http_proxy and https_proxy.
        const [major, minor] = process.versions.node.split('.').map(Number);
        const isBuiltIn = major > 24 || (major === 24 && minor >= 5) ||
          (major === 22 && minor >= 21);
        if (!isBuiltIn && process.env.http_proxy) {
          const http = require('node:http');
          const https = require('node:https');
          const net = require('node:net');
          const tls = require('node:tls');
          const proxy = new URL(process.env.http_proxy);
          const proxyHost = proxy.hostname.replace(/^\[|\]$/g, '');
          // A new agent would be one of those below.
          const direct = new http.Agent();
          const connect = (options, done) => {
            const host = String(options.host || options.hostname || 'localhost');
            const name = host.includes(':') ? `[${host}]` : host;
            const target = `${name}:${options.port}`;
            const request = http.request({
              agent: direct, host: proxyHost, port: proxy.port, method: 'CONNECT', path: target,
              headers: {host: target},
            });
            request.once('connect', (response, socket) => {
              if (response.statusCode === 200) return done(null, socket);
              socket.destroy();
              done(new Error(`the proxy answered ${response.statusCode} for ${target}`));
            });
            request.once('error', done);
            request.end();
          };
          const secured = (options, done) => connect(options, (error, socket) => {
            if (error) return done(error);
            const host = options.servername || options.host;
            const servername = net.isIP(host || '') ? '' : host;
            const secure = tls.connect({...options, socket, servername});
            secure.once('secureConnect', () => done(null, secure));
            secure.once('error', done);
          });
          class PlainAgent extends http.Agent {
            createConnection(options, done) { connect(options, done); }
          }
          class SecureAgent extends https.Agent {
            createConnection(options, done) {
              let isDone = false;
              secured(options, (error, socket) => {
                if (!isDone) { isDone = true; done(error, socket); }
              });
            }
          }
          http.globalAgent = new PlainAgent({keepAlive: true});
          https.globalAgent = new SecureAgent({keepAlive: true});
          // fetch is made by undici, whose agent takes a function that connects.
          const symbol = Symbol.for('undici.globalDispatcher.1');
          const fetched = globalThis.fetch;
          if (fetched) {
            let isSet = false;
            globalThis.fetch = async function (...parameters) {
              if (!isSet) {
                isSet = true;
                await fetched('data:,');
                const Agent = globalThis[symbol] && globalThis[symbol].constructor;
                if (Agent) {
                  globalThis[symbol] = new Agent({connect: (options, done) => {
                    const isSecure = options.protocol === 'https:';
                    const port = options.port || (isSecure ? 443 : 80);
                    const asked = {host: options.hostname, port,
                      servername: options.servername || options.hostname,
                      ALPNProtocols: ['http/1.1']};
                    (isSecure ? secured : connect)(asked, done);
                  }});
                }
              }
              return fetched.apply(this, parameters);
            };
          }
        }
        """#
}
