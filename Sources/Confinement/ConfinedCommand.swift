/// A program that is to see little of the machine, and what it may see.
public struct ConfinedCommand: Sendable, Hashable {
    /// How much is kept from it.
    public enum Confinement: Sendable, Hashable {
        /// It reads the system and its folder, and writes its scratch folder.
        case confined(usesNetwork: Bool)
        /// It may do what its user may.
        case none
    }

    /// The word by which a program knows that it is to become another one.
    public static let word = "--confine"

    /// The program and its arguments; a name without `/` is looked for in `path`.
    public let command: [String]
    /// Where it runs, an absolute path; it may read what is in there.
    public let directory: String
    /// The only place that it may write, an absolute path.
    public let scratch: String
    /// What it may read beside the system and its folder: absolute paths.
    public let readable: [String]
    /// What it may not read though it lies in what it may: an absolute path.
    public let hidden: String
    /// How much is kept from it.
    public let confinement: Confinement

    /// Where programs are looked for.
    public static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// What the system's programs need to run.
    static let systemPaths = [
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt",
        "/nix/store",
    ]
    /// What names of servers are looked up with.
    static let networkPaths = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"]
    /// Read and written.
    static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

    /// A command.
    public init(
        _ command: [String], in directory: String, scratch: String, readable: [String],
        hidden: String, confinement: Confinement
    ) {
        self.command = command
        self.directory = directory
        self.scratch = scratch
        self.readable = readable
        self.hidden = hidden
        self.confinement = confinement
    }

    /// All of its environment, each `NAME=value`.
    public var environment: [String] {
        [
            "PATH=\(ConfinedCommand.path)", "LANG=C.UTF-8", "HOME=\(scratch)",
            "TMPDIR=\(scratch)",
            // Python would keep lines back until there are many.
            "PYTHONUNBUFFERED=1",
        ]
    }

    /// Whether a folder cannot be read by a program that a place is kept from.
    public static func isHidden(_ folder: String, by hidden: String) -> Bool {
        guard let folder = ReadablePaths.resolved(folder),
            let hidden = ReadablePaths.resolved(hidden)
        else { return false }
        return ReadablePaths.isInside(folder, hidden)
    }

    // MARK: As arguments

    /// The arguments of a program that becomes this one.
    public var arguments: [String] {
        var arguments = [ConfinedCommand.word]
        switch confinement {
        case .none: arguments.append("all=")
        case .confined(let usesNetwork): if usesNetwork { arguments.append("network=") }
        }
        arguments += ["directory=\(directory)", "scratch=\(scratch)", "hidden=\(hidden)"]
        return arguments + readable.map { "read=\($0)" } + ["--"] + command
    }

    /// Reads the arguments of a program, its own name left out; nil where they are of another kind.
    public init?(arguments: [String]) {
        guard arguments.first == ConfinedCommand.word,
            let end = arguments.firstIndex(of: "--"), end + 1 < arguments.count
        else { return nil }
        var values: [Substring: [String]] = [:]
        for argument in arguments[1..<end] {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            values[parts[0], default: []].append(String(parts[1]))
        }
        guard let directory = values["directory"]?.first, let scratch = values["scratch"]?.first,
            let hidden = values["hidden"]?.first
        else { return nil }
        self.init(
            Array(arguments[(end + 1)...]), in: directory, scratch: scratch,
            readable: values["read"] ?? [], hidden: hidden,
            confinement: values["all"] != nil
                ? .none : .confined(usesNetwork: values["network"] != nil))
    }
}
