/// The environment of a program that uses a proxy and trusts its authority.
struct ProxiedEnvironment {
    /// The proxy's address, such as `127.0.0.1:8080`, in its parts.
    let host: String
    let port: UInt16
    let files: TrustFiles

    private var shownHost: String { host.contains(":") ? "[\(host)]" : host }
    /// The proxy as a URL.
    var proxyURL: String { "http://\(shownHost):\(port)" }

    /// The variables of curl, OpenSSL, Python, Ruby, git, cargo, Node, Deno, AWS and gRPC for
    /// files of trusted certificates.
    private static let bundleNames = [
        "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "HTTPLIB2_CA_CERTS",
        "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE", "NIX_SSL_CERT_FILE",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    ]
    /// Variables of certificates that are trusted in addition.
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
