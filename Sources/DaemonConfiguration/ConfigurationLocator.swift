package import ProxydConfigurationText
internal import Glibc

/// Finds the configuration file and the data directory from flags and the environment.
package struct ConfigurationLocator: Sendable {
    /// The environment variables to use.
    package let environment: [String: String]
    /// The path of the system-wide configuration file.
    package let systemFile: String

    /// Creates a locator for these variables, with the system-wide file as the last choice.
    package init(
        environment: [String: String], systemFile: String = "/etc/proxyd/proxyd.toml"
    ) {
        self.environment = environment
        self.systemFile = systemFile
    }

    /// The file to read: `--config`, or `$XDG_CONFIG_HOME/proxyd/proxyd.toml` (`~/.config` if the
    /// variable is not set), or `/etc/proxyd/proxyd.toml`; nil for the built-in defaults. Only
    /// `--config` may name a file that does not exist.
    package func configurationFile(flag: String?) -> String? {
        flag ?? standardFiles.first { access($0, F_OK) == 0 }
    }

    /// The files of which the first that exists is read without `--config`.
    package var standardFiles: [String] {
        let userFile = base("XDG_CONFIG_HOME", underHome: ".config").map {
            $0 + "/proxyd/proxyd.toml"
        }
        return [userFile, systemFile].compactMap { $0 }
    }

    /// The rules file as an absolute path: the configuration's `rules.file`, or `rules.toml` next
    /// to the configuration file, or next to the user's default one; nil if neither is known. It
    /// need not exist.
    /// - Throws: if a relative path has no base.
    package func rulesFile(
        configured: String?, configurationFile: String?
    ) throws(ConfigurationProblem) -> String? {
        if let configured { return configured }
        if let configurationFile {
            let path = try absolute(configurationFile, flag: "--config")
            return path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
                + "rules.toml"
        }
        return base("XDG_CONFIG_HOME", underHome: ".config").map { $0 + "/proxyd/rules.toml" }
    }

    /// The data directory as an absolute path: `--data-dir`, or `$PROXYD_DATA_DIR`, or the file's
    /// `data_dir`, or `$XDG_DATA_HOME/proxyd`, or `~/.local/share/proxyd`.
    /// - Throws: if none of these is set, or a relative path has no base.
    package func dataDirectory(
        flag: String?,
        configured: String?
    ) throws(ConfigurationProblem) -> String {
        if let flag, !flag.isEmpty { return try absolute(flag, flag: "--data-dir") }
        if let path = nonEmpty("PROXYD_DATA_DIR") {
            return try absolute(path, flag: "PROXYD_DATA_DIR")
        }
        if let configured { return configured }
        guard let data = base("XDG_DATA_HOME", underHome: ".local/share") else {
            throw ConfigurationProblem(
                location: "--data-dir",
                message: "no data directory: use this flag, or set PROXYD_DATA_DIR or HOME"
            )
        }
        return data + "/proxyd"
    }

    /// The XDG specification requires that a relative path in a variable is ignored.
    private func base(_ variable: String, underHome folder: String) -> String? {
        if let path = nonEmpty(variable), path.hasPrefix("/") { return path }
        guard let home = nonEmpty("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/" + folder
    }

    private func nonEmpty(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func absolute(
        _ path: String,
        flag: String
    ) throws(ConfigurationProblem) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw ConfigurationProblem(
                location: flag,
                message: "give an absolute path: the working directory no longer exists"
            )
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}
