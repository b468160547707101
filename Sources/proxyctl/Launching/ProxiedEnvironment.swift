internal import ProxydTLS
internal import FoundationEssentials

/// The environment of a program that uses a proxy and trusts its authority.
struct ProxiedEnvironment {
    /// The proxy's address, such as `127.0.0.1:8080`, in its parts.
    let host: String
    let port: UInt16
    let files: TrustFiles

    private var shownHost: String { host.contains(":") ? "[\(host)]" : host }
    var proxyURL: String { "http://\(shownHost):\(port)" }

    /// The variables of curl, OpenSSL, Python, Ruby, git, cargo, Node, Deno, AWS and gRPC for
    /// files of trusted certificates.
    private static let bundleNames = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "HTTPLIB2_CA_CERTS",
        "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    ]
    /// Variables for certificates that are trusted in addition.
    private static let additionNames = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]
    private static let proxyNames = ["http_proxy", "https_proxy", "all_proxy"]

    /// The given variables, with those that name the proxy and the certificates changed.
    func variables(from base: [String: String]) -> [String: String] {
        var variables = base
        for name in ProxiedEnvironment.proxyNames {
            variables[name] = proxyURL
            variables[name.uppercased()] = proxyURL
        }
        // An exception would be missing in the record.
        variables["no_proxy"] = ""
        variables["NO_PROXY"] = ""
        for name in ProxiedEnvironment.bundleNames { variables[name] = files.bundlePath }
        for name in ProxiedEnvironment.additionNames { variables[name] = files.certificatePath }
        // Since Node 22.21 and 24.5 its own clients use the variables above if this is set.
        variables["NODE_USE_ENV_PROXY"] = "1"
        variables["NODE_OPTIONS"] = ProxiedEnvironment.joined(
            base["NODE_OPTIONS"], ["--require=\"\(files.nodeScriptPath)\""])
        variables["WGETRC"] = files.wgetSettingsPath
        variables["JAVA_TOOL_OPTIONS"] = ProxiedEnvironment.joined(
            base["JAVA_TOOL_OPTIONS"], javaOptions)
        return variables
    }

    private static func joined(_ before: String?, _ more: [String]) -> String {
        ((before.map { $0.isEmpty ? [] : [$0] } ?? []) + more).joined(separator: " ")
    }

    private var javaOptions: [String] {
        var options = ["http", "https"].flatMap { scheme in
            ["-D\(scheme).proxyHost=\(host)", "-D\(scheme).proxyPort=\(port)"]
        }
        // By default Java connects to this machine directly.
        options.append("-Dhttp.nonProxyHosts=")
        guard let keyStorePath = files.keyStorePath else { return options }
        return options + [
            "\"-Djavax.net.ssl.trustStore=\(keyStorePath)\"",
            "-Djavax.net.ssl.trustStoreType=JKS",
            "-Djavax.net.ssl.trustStorePassword=\(JavaKeyStore.password)",
        ]
    }
}

/// Files that make programs trust an authority, in a folder that is temporary.
struct TrustFiles {
    /// The certificates that programs trust anyway, and the authority's.
    let bundlePath: String
    /// The authority's certificate alone.
    let certificatePath: String
    /// The same as `bundlePath` for Java; nil if it cannot be made.
    let keyStorePath: String?
    let nodeScriptPath: String
    /// Settings of wget, which has no variable for certificates.
    let wgetSettingsPath: String

    /// Writes the files into an existing folder; `environment` may name other trusted certificates.
    init(trusting certificatePath: String, in folder: String, _ environment: Environment) throws {
        let own = try TrustFiles.contents(of: certificatePath)
        let named = environment.variables["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let system = named ?? environment.systemRoot + TrustInquiry.systemBundlePath
        let trusted = (try? TrustFiles.contents(of: system)) ?? []
        let bundle = trusted + [0x0A] + own
        self.certificatePath = folder + "/authority.pem"
        bundlePath = folder + "/bundle.pem"
        nodeScriptPath = folder + "/proxy.cjs"
        wgetSettingsPath = folder + "/wgetrc"
        try AtomicFile.write(own, to: self.certificatePath)
        try AtomicFile.write(bundle, to: bundlePath)
        try AtomicFile.write(Array(NodeProxyScript.text.utf8), to: nodeScriptPath)
        try AtomicFile.write(
            TrustFiles.wgetSettings(trusting: bundlePath, environment), to: wgetSettingsPath)
        let keyStore = JavaKeyStore.bytes(of: PEMBundle.certificates(in: bundle))
        keyStorePath = keyStore.map { _ in folder + "/bundle.jks" }
        if let keyStore, let keyStorePath { try AtomicFile.write(keyStore, to: keyStorePath) }
    }

    /// The user's settings, and the file of certificates.
    private static func wgetSettings(trusting path: String, _ environment: Environment) -> [UInt8] {
        let named = environment.variables["WGETRC"] ?? environment.home.map { $0 + "/.wgetrc" }
        let before = named.flatMap { try? contents(of: $0) } ?? []
        return before + Array("\nca_certificate = \(path)\n".utf8)
    }

    private static func contents(of path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure("\(path) cannot be read")
        }
        return [UInt8](data)
    }
}

/// A key store of trusted certificates in the format JKS, which every Java reads. Written here,
/// because Java's `keytool` takes a second or more.
enum JavaKeyStore {
    /// The usual password: it protects nothing, but Java checks the digest that it is part of.
    static let password = "changeit"

    /// The file, or nil if OpenSSL is configured not to compute SHA-1.
    static func bytes(of certificates: [[UInt8]]) -> [UInt8]? {
        var store: [UInt8] = []
        store.append(0xFEED_FEED as UInt32)
        // The version of the format.
        store.append(2 as UInt32)
        store.append(UInt32(certificates.count))
        for (index, certificate) in certificates.enumerated() {
            // The kind of entry that contains a trusted certificate.
            store.append(2 as UInt32)
            store.append(text: "proxyd-\(index)")
            // When it was added: Java requires no particular time.
            store.append(0 as UInt64)
            store.append(text: "X.509")
            store.append(UInt32(certificate.count))
            store += certificate
        }
        let key = password.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let digested = key + Array("Mighty Aphrodite".utf8) + store
        return DigestAlgorithm.sha1.digest(of: digested).map { store + $0 }
    }
}

extension [UInt8] {
    /// Appends a number, most significant byte first.
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends ASCII text and its length before it.
    fileprivate mutating func append(text: String) {
        append(UInt16(text.utf8.count))
        self += text.utf8
    }
}

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
