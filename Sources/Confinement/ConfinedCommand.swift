/// A program that is confined to a small part of the machine, and what it may access.
public struct ConfinedCommand: Sendable, Hashable {
    /// The degree of confinement.
    public enum Confinement: Sendable, Hashable {
        /// The program can read the system and its folder, and write to its scratch folder.
        case confined(usesNetwork: Bool)
        /// The program may do everything that its user may.
        case none
    }

    /// Limits of a program and its descendants.
    public struct Limits: Sendable, Hashable {
        /// The maximum memory in bytes. One process cannot get more that it may write to; where all
        /// of them together use more, they are ended.
        public let memoryByteCount: UInt64
        /// The maximum time that one process computes; nil for any. It is then ended.
        public let computingSeconds: UInt64?
        /// The maximum number of processes and threads that a confined program has; nil for any.
        /// Further ones cannot be started (EAGAIN).
        public let processCount: Int?

        /// Creates limits.
        public init(
            memoryByteCount: UInt64, computingSeconds: UInt64? = nil, processCount: Int? = nil
        ) {
            self.memoryByteCount = memoryByteCount
            self.computingSeconds = computingSeconds
            self.processCount = processCount
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
    /// Absolute paths that the program may not read, even within readable folders. They need not
    /// exist yet.
    public let hidden: [String]
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
        hidden: [String], confinement: Confinement, limits: Limits? = nil
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

    /// Where hidden paths lead now, or would if what is missing of them existed.
    public static func places(of hidden: [String]) -> [String] {
        hidden.map { ReadablePaths.target($0) }
    }

    /// The folders in which hidden files are: the program may read the other files that are in them
    /// when it is started, and not those that come later.
    public var partlyReadableFolders: [String] {
        confinement == .none ? [] : ReadablePaths(readablePaths, hiding: hidden).partial
    }

    /// All paths that the program may read, unless they are hidden.
    var readablePaths: [String] {
        let paths = ConfinedCommand.systemPaths + [directory] + readable
        let usesNetwork = confinement == .confined(usesNetwork: true)
        return usesNetwork ? paths + ConfinedCommand.networkPaths : paths
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
            arguments.append("memory=\(limits.memoryByteCount)")
            if let seconds = limits.computingSeconds { arguments.append("time=\(seconds)") }
            if let count = limits.processCount { arguments.append("processes=\(count)") }
        }
        arguments += ["directory=\(directory)", "scratch=\(scratch)"]
        arguments += hidden.map { "hidden=\($0)" } + readable.map { "read=\($0)" }
        return arguments + ["--"] + command
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
        guard let directory = values["directory"]?.first, let scratch = values["scratch"]?.first
        else { return nil }
        var limits: Limits?
        if let memory = values["memory"]?.first {
            let time = values["time"]?.first, processes = values["processes"]?.first
            guard let memory = UInt64(memory) else { return nil }
            limits = Limits(
                memoryByteCount: memory, computingSeconds: time.flatMap { UInt64($0) },
                processCount: processes.flatMap { Int($0) })
            guard (time == nil) == (limits?.computingSeconds == nil),
                (processes == nil) == (limits?.processCount == nil)
            else { return nil }
        }
        self.init(
            Array(arguments[(end + 1)...]), in: directory, scratch: scratch,
            readable: values["read"] ?? [], hidden: values["hidden"] ?? [],
            confinement: values["all"] != nil
                ? .none : .confined(usesNetwork: values["network"] != nil), limits: limits)
    }
}
