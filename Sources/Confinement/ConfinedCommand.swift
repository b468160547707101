/// A program that is confined to a small part of the machine, and what it may access.
public struct ConfinedCommand: Sendable, Hashable {
    /// The degree of confinement.
    public enum Confinement: Sendable, Hashable {
        /// The program can read the system and its folder, and write to its scratch folder.
        case confined(usesNetwork: Bool)
        /// The program may do everything that its user may.
        case none
    }

    /// Limits of a program, each of which ends it or makes its requests for memory fail.
    public struct Limits: Sendable, Hashable {
        /// The maximum size of its memory in bytes.
        public let memoryByteCount: UInt64
        /// The maximum time that it computes.
        public let computingSeconds: UInt64

        /// Creates limits.
        public init(memoryByteCount: UInt64, computingSeconds: UInt64) {
            self.memoryByteCount = memoryByteCount
            self.computingSeconds = computingSeconds
        }
    }

    /// The argument that makes this program become the confined one.
    public static let word = "--confine"

    /// The program and its arguments; a name without `/` is searched for in `path`.
    public let command: [String]
    /// The working directory, an absolute path, whose contents the program may read.
    public let directory: String
    /// The only folder that the program may write to, an absolute path.
    public let scratch: String
    /// Absolute paths that the program may read in addition to the system and its folder.
    public let readable: [String]
    /// An absolute path that the program may not read, even within readable folders.
    public let hidden: String
    /// The degree of confinement.
    public let confinement: Confinement
    /// Its limits; nil for those of this process.
    public let limits: Limits?

    /// The search path for programs.
    public static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// The paths that system programs need in order to run.
    static let systemPaths = [
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt",
        "/nix/store",
    ]
    /// The paths that are needed to resolve host names.
    static let networkPaths = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"]
    /// Devices that may be read and written.
    static let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

    /// Creates a command from its parts.
    public init(
        _ command: [String], in directory: String, scratch: String, readable: [String],
        hidden: String, confinement: Confinement, limits: Limits? = nil
    ) {
        self.command = command
        self.directory = directory
        self.scratch = scratch
        self.readable = readable
        self.hidden = hidden
        self.confinement = confinement
        self.limits = limits
    }

    /// The complete environment of the program, each entry as `NAME=value`.
    public var environment: [String] {
        [
            "PATH=\(ConfinedCommand.path)", "LANG=C.UTF-8", "HOME=\(scratch)",
            "TMPDIR=\(scratch)",
            // Otherwise Python would buffer its output.
            "PYTHONUNBUFFERED=1",
        ]
    }

    /// Whether a program from which `hidden` is kept cannot read a folder.
    public static func isHidden(_ folder: String, by hidden: String) -> Bool {
        guard let folder = ReadablePaths.resolved(folder),
            let hidden = ReadablePaths.resolved(hidden)
        else { return false }
        return ReadablePaths.isInside(folder, hidden)
    }

    // MARK: As arguments

    /// The arguments that make this program become the command.
    public var arguments: [String] {
        var arguments = [ConfinedCommand.word]
        switch confinement {
        case .none: arguments.append("all=")
        case .confined(let usesNetwork): if usesNetwork { arguments.append("network=") }
        }
        if let limits {
            arguments += ["memory=\(limits.memoryByteCount)", "time=\(limits.computingSeconds)"]
        }
        arguments += ["directory=\(directory)", "scratch=\(scratch)", "hidden=\(hidden)"]
        return arguments + readable.map { "read=\($0)" } + ["--"] + command
    }

    /// Parses a program's arguments without its name, or returns nil if they have another form.
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
        var limits: Limits?
        if let memory = values["memory"]?.first, let time = values["time"]?.first {
            guard let memory = UInt64(memory), let time = UInt64(time) else { return nil }
            limits = Limits(memoryByteCount: memory, computingSeconds: time)
        }
        self.init(
            Array(arguments[(end + 1)...]), in: directory, scratch: scratch,
            readable: values["read"] ?? [], hidden: hidden,
            confinement: values["all"] != nil
                ? .none : .confined(usesNetwork: values["network"] != nil), limits: limits)
    }
}
