internal import Capture
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydOperations

/// Reports the state of daemon and store to the status bar.
struct DaemonInspector: Inspecting {
    private let directory: DataDirectory
    private let holds: DaemonHolds

    init(_ directory: DataDirectory, _ holds: DaemonHolds) {
        self.directory = directory
        self.holds = holds
    }

    func facts() -> StatusFacts {
        var facts = daemonFacts()
        facts.certificatePath = (try? AuthorityAccess(directory))?.certificatePath
        let options = isStandard ? [] : ["--data-dir", directory.path]
        facts.ownCommand = ShellQuoting.join(["proxyctl"] + options)
        facts.daemonCommand = ShellQuoting.join(["proxyd"] + options)
        return facts
    }

    /// Whether the directory is found without an option.
    private var isStandard: Bool {
        DataDirectory.standard(environment: Environment.current.variables)?.path
            == directory.path
    }

    private func daemonFacts() -> StatusFacts {
        if let client = try? ControlClient(dataDirectory: directory.path),
            let status = try? client.status()
        {
            var facts = DaemonInspector.facts(status)
            // A daemon that is older than this program holds nothing.
            facts.holds = ((try? client.holds()) ?? []).map(HeldFacts.init)
            facts.isTakingHolds = holds.isTaking
            return facts
        }
        var facts = StatusFacts()
        facts.isDaemonRunning = false
        if let store = StoreFacts(directory) {
            facts.exchangeCount = store.exchangeCount
            facts.storeByteCount = store.storeByteCount.addingClamped(store.walByteCount)
        }
        return facts
    }

    private static func facts(_ status: DaemonStatus) -> StatusFacts {
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        facts.recordingStoppedBecause = status.recordingStoppedBecause
        facts.rulesProblem = status.rulesProblem.map(DaemonInspector.short)
        facts.exchangeCount = status.storedExchangeCount
        facts.storeByteCount = status.storeByteCount.addingClamped(status.walByteCount)
        facts.droppedExchangeCount = status.droppedExchangeCount
        facts.droppedBodyByteCount = status.droppedBodyByteCount
        facts.listenAddresses = status.listenAddresses
        facts.proxyAddress = status.proxyAddress
        return facts
    }

    /// An error with the file's name instead of its path.
    private static func short(_ problem: String) -> String {
        let place = problem.prefix { $0 != ":" }
        guard let slash = place.lastIndex(of: "/") else { return problem }
        return String(problem[slash...].dropFirst())
    }
}

/// Pauses and resumes recording.
struct DaemonSteering: Steering {
    private let directory: DataDirectory

    init(_ directory: DataDirectory) { self.directory = directory }

    func toggleInterception(ofHost host: String, port: UInt16) throws -> Bool {
        do throws(ControlError) {
            let client = try ControlClient(dataDirectory: directory.path)
            return try client.toggleInterception(ofHost: host, port: port)
        } catch {
            throw InterfaceFailure(description: error.message)
        }
    }

    func setRecording(_ isOn: Bool) throws {
        do throws(ControlError) {
            try ControlClient(dataDirectory: directory.path).setRecording(isOn)
        } catch {
            throw InterfaceFailure(description: error.message)
        }
    }
}
