internal import Glibc
internal import ProxydCLinuxConfinement

extension ConfinedCommand {
    /// Replaces this process with the program. Returns only on failure, with the exit status: 126
    /// if the program cannot be confined or run, 127 if it is not found.
    public func become() -> (status: Int32, reason: String) {
        do {
            guard chdir(directory) == 0 else { throw ConfinementFailure(errnoOf: directory) }
            // A script must not outlive a proxy that was killed.
            _ = clinuxconfinement_end_with_parent(SIGKILL)
            ConfinedCommand.limitDescriptors()
            try confine()
            try limit()
        } catch {
            return (126, "it cannot be confined: \(error)")
        }
        run()
        let status: Int32 = errno == ENOENT ? 127 : 126
        let reason = String(cString: strerror(errno))
        let hint = errno == EACCES ? "; reads = […] lists what else it may read" : ""
        return (status, "\(command.first ?? ""): \(reason)\(hint)")
    }

    private func confine() throws {
        guard clinuxconfinement_take_no_privileges() == 0 else {
            throw ConfinementFailure(errnoOf: "no_new_privs")
        }
        guard case .confined(let usesNetwork) = confinement else { return }
        let rules = try LandlockRules()
        var wanted = ConfinedCommand.systemPaths + [directory] + readable
        if usesNetwork { wanted += ConfinedCommand.networkPaths }
        for path in ReadablePaths(wanted, hiding: hidden).paths { try rules.allowReading(path) }
        for path in ConfinedCommand.devices { try rules.allowDevice(path) }
        try rules.allowWriting(scratch)
        try rules.enter()
        guard clinuxconfinement_drop_capabilities() == 0 else {
            throw ConfinementFailure(errnoOf: "capset")
        }
        guard clinuxconfinement_refuse_calls(usesNetwork ? 1 : 0) == 0 else {
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

    /// At last, because this process may need more memory than the program may have.
    private func limit() throws {
        guard let limits else { return }
        let values = [
            (RLIMIT_AS, limits.memoryByteCount, "RLIMIT_AS"),
            (RLIMIT_CPU, limits.computingSeconds, "RLIMIT_CPU"),
        ]
        for (kind, value, name) in values {
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
