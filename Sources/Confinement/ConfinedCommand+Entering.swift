internal import Glibc
internal import ProxydCLinuxConfinement

extension ConfinedCommand {
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

    /// At last, because this process may need more memory than the program may have.
    private func limit() throws {
        guard let limits else { return }
        // Programs reserve addresses that they never use, so RLIMIT_AS would tell nothing: this is
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
