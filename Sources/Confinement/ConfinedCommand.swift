internal import ProxydCLinuxConfinement
internal import Glibc

/// A program that is confined to a small part of the machine, and what it may access.
public struct ConfinedCommand: Sendable, Hashable {
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
    /// Absolute paths, which need not exist yet, that are hidden even within readable folders.
    public let hidden: [String]
    public let confinement: Confinement
    /// Its limits; nil for those of this process.
    public let limits: Limits?

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

    /// Where hidden paths lead now, or would lead if the missing parts existed.
    public static func places(of hidden: [String]) -> [String] {
        hidden.map { ReadablePaths.target($0) }
    }

    /// The folders that contain hidden files: the program may read the other files that exist in
    /// them when it is started, but not later ones.
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

    /// Splits this process, which may not have other threads: the child becomes the program, and
    /// this one watches over it and ends as it does (`Watcher`). Returns only on failure, with the
    /// exit status: 126 if the program cannot be confined or run, 127 if it is not found.
    public func become() -> (status: Int32, reason: String) {
        do {
            guard chdir(directory) == 0 else { throw ConfinementFailure(errnoOf: directory) }
            ConfinedCommand.limitDescriptors()
            switch try Watcher.split(limits) {
            case .watcher(let watcher): watcher.watch()
            case .program(let parts):
                leaveProcessor()
                try confine(parts)
                try limit()
            }
        } catch {
            return (126, "it cannot be confined: \(error)")
        }
        run()
        let status: Int32 = errno == ENOENT ? 127 : 126
        let reason = String(cString: strerror(errno))
        let hint = errno == EACCES ? "; reads = […] lists what else it may read" : ""
        return (status, "\(command.first ?? ""): \(reason)\(hint)")
    }

    private func confine(_ parts: Watcher.Parts) throws {
        guard clinuxconfinement_take_no_privileges() == 0 else {
            throw ConfinementFailure(errnoOf: "no_new_privs")
        }
        guard case .confined(let usesNetwork) = confinement else { return }
        let rules = try LandlockRules()
        let paths = ReadablePaths(readablePaths, hiding: hidden)
        for path in paths.paths { try rules.allowReading(path) }
        for path in paths.listed { try rules.allowListing(path) }
        for path in ConfinedCommand.devices { try rules.allowDevice(path) }
        try rules.allowWriting(scratch)
        try rules.enter()
        guard clinuxconfinement_drop_capabilities() == 0 else {
            throw ConfinementFailure(errnoOf: "capset")
        }
        clinuxconfinement_leave_keys()
        let choice = clinuxconfinement_choice(
            uses_network: usesNetwork ? 1 : 0, watcher: parts.watcher, parent: parts.parent)
        guard clinuxconfinement_filter(choice) == 0 else {
            throw ConfinementFailure(errnoOf: "seccomp")
        }
    }

    /// The daemon may have a very high limit; programs that wait with select(2) support only 1,024.
    private static func limitDescriptors() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur > 1_024 else { return }
        limit.rlim_cur = 1_024
        _ = setrlimit(kind, &limit)
    }

    /// Leaves a processor to the watcher. Otherwise a program that starts others without end, as
    /// fast as it can, would keep it from looking for seconds, and take 20,000 processes.
    private func leaveProcessor() {
        guard limits?.processCount != nil else { return }
        if clinuxconfinement_use_processors(0) == 0 { _ = nice(5) }
    }

    /// Called last, because this process may need more memory than the program may have.
    private func limit() throws {
        guard let limits else { return }
        // Programs reserve addresses that they never use, so RLIMIT_AS would not help: this limits
        // the memory that they may write to.
        let values = [
            (RLIMIT_DATA, limits.memoryByteCount, "RLIMIT_DATA"),
            (RLIMIT_CPU, limits.computingSeconds, "RLIMIT_CPU"),
        ]
        for (kind, value, name) in values {
            guard let value else { continue }
            let kind = __rlimit_resource_t(kind.rawValue)
            var limit = rlimit()
            guard getrlimit(kind, &limit) == 0 else { throw ConfinementFailure(errnoOf: name) }
            limit.rlim_max = min(limit.rlim_max, rlim_t(value))
            limit.rlim_cur = limit.rlim_max
            guard setrlimit(kind, &limit) == 0 else { throw ConfinementFailure(errnoOf: name) }
        }
    }

    private func run() {
        let words = command.map { strdup($0) }
        defer { for word in words { free(word) } }
        guard let program = words.first, let program else { return }
        execvp(program, words + [nil])
    }
}

/// Why a program could not be confined or started.
public struct ConfinementFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    /// A system call failed; errno says why.
    init(errnoOf what: String) { description = "\(what): \(String(cString: strerror(errno)))" }
}
