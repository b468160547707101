internal import Capture
internal import FoundationEssentials
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// A new profile of a browser that uses a daemon and trusts its authority.
struct BrowserProfile {
    let arguments: [String]
    private(set) var variables: [String: String] = [:]

    init(_ kind: BrowserCommand.Kind, _ point: LaunchPoint, _ directory: DataDirectory) throws {
        let authority = try AuthorityAccess(directory)
        let path = point.folderPath + "/profile"
        try BrowserProfile.makeFolder(path)
        let environment = point.program.environment
        switch kind {
        case .chromium:
            let home = point.folderPath + "/home"
            try BrowserProfile.makeFolder(home + "/.pki/nssdb")
            try BrowserProfile.trust(authority, home + "/.pki/nssdb")
            try BrowserProfile.keepDownloads(path)
            variables = BrowserProfile.variables(home: home)
            arguments = BrowserProfile.chromium(path, environment)
        case .firefox:
            try BrowserProfile.trust(authority, path)
            try BrowserProfile.writePreferences(path, environment)
            arguments = ["--no-remote", "--profile", path]
        }
    }

    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Adds the authority to a new database of certificates.
    private static func trust(_ authority: AuthorityAccess, _ path: String) throws {
        let runner = Environment.current.runner
        guard let certutil = runner.find("certutil") else {
            throw CommandFailure("certutil is missing, run: sudo apt-get install libnss3-tools")
        }
        let steps = [
            ["-N", "-d", "sql:\(path)", "--empty-password"],
            NSSDatabase(program: "", path: path).addition(authority.inquiry(.current)),
        ]
        for step in steps {
            let result = runner.run(certutil, step)
            guard let result, result.exitCode == 0 else {
                throw CommandFailure("certutil: \(result?.lastErrorLine ?? "it did not finish")")
            }
        }
    }

    // MARK: Chromium

    private static func chromium(_ path: String, _ environment: ProxiedEnvironment) -> [String] {
        [
            "--user-data-dir=\(path)", "--proxy-server=\(environment.proxyURL)",
            // By default Chromium connects to this machine directly.
            "--proxy-bypass-list=<-loopback>",
            "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
            "--disable-component-update",
            // QUIC does not go through proxies.
            "--disable-quic",
        ]
    }

    /// Chromium's certificates belong to its user, not to its profile. So it gets another home,
    /// with the paths of everything else that it needs from the user's.
    private static func variables(home: String) -> [String: String] {
        var variables = ["HOME": home, "XDG_DATA_HOME": home + "/.local/share"]
        let environment = Environment.current
        if environment.variables["XAUTHORITY"] == nil, let userHome = environment.home {
            variables["XAUTHORITY"] = userHome + "/.Xauthority"
        }
        return variables
    }

    /// What the user downloads is kept.
    private static func keepDownloads(_ path: String) throws {
        guard let home = Environment.current.home else { return }
        let folder = Environment.current.variables["XDG_DOWNLOAD_DIR"] ?? home + "/Downloads"
        var bytes: [UInt8] = []
        JSONText.write(
            .members([
                ("download", .members([("default_directory", .string(folder))])),
                ("savefile", .members([("default_directory", .string(folder))])),
            ]), into: &bytes)
        try makeFolder(path + "/Default")
        try AtomicFile.write(bytes, to: path + "/Default/Preferences")
    }

    // MARK: Firefox

    private static func writePreferences(_ path: String, _ environment: ProxiedEnvironment) throws {
        let preferences = [
            "network.proxy.type": "1",
            "network.proxy.http": "\"\(environment.host)\"",
            "network.proxy.http_port": "\(environment.port)",
            "network.proxy.ssl": "\"\(environment.host)\"",
            "network.proxy.ssl_port": "\(environment.port)",
            "network.proxy.no_proxies_on": "\"\"",
            "network.proxy.allow_hijacking_localhost": "true",
            "network.http.http3.enable": "false",
            "browser.shell.checkDefaultBrowser": "false",
            "browser.startup.homepage_override.mstone": "\"ignore\"",
            "datareporting.policy.dataSubmissionEnabled": "false",
            "app.normandy.enabled": "false",
            "toolkit.telemetry.enabled": "false",
        ]
        let lines = preferences.sorted { $0.key < $1.key }
            .map { "user_pref(\"\($0.key)\", \($0.value));\n" }
        try AtomicFile.write(Array(lines.joined().utf8), to: path + "/user.js")
    }
}
