internal import ArgumentParser
internal import ProxydControl

/// `proxyctl hold wait`: accepts holds, and prints the first one.
struct HoldWaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for a held message, and print it as JSON.",
        discussion: """
            From now on rules hold messages; with FILTER, only those that match. The first held \
            message is printed, and the program ends: the message stays held for 10 seconds, or \
            while holding is on in another interface. With --follow, each held message is printed \
            on its own line until the program is stopped.
            """)

    /// The time between checks whether the output is still read, in nanoseconds.
    private static let pauseNs: Int64 = 1_000_000_000

    @OptionGroup var global: GlobalOptions
    @OptionGroup var selection: FilterArgument
    @Flag(help: "Keep waiting after the first.")
    var follow = false
    @Flag(help: "Print JSON, as without this flag.")
    var json = false

    func run() throws {
        let filter = try selection.filter() == nil ? nil : selection.text
        let client = try DaemonAccess.running(global)
        try DaemonAccess.attempt { () throws(ControlError) in
            try client.takeHolds(matching: filter)
        }
        Report.warn("waiting for held messages")
        // Messages already held for another client count as well.
        var next = try DaemonAccess.attempt { () throws(ControlError) in
            try client.holds(matching: filter)
        }
        var lastPrinted: Int64 = 0
        let output = Environment.current.output
        while output.failure == nil {
            for hold in next where hold.hold > lastPrinted {
                // A hold that has ended in the meantime no longer has a head.
                guard let head = try HoldAccess.head(of: hold.hold, client) else { continue }
                Report().json(HoldReport.value(hold, head: head))
                Report().flush()
                lastPrinted = hold.hold
                if !follow { return }
            }
            next = try nextHolds(client, filter)
        }
    }

    /// The next holds; empty after a while without any, or if the filter does not match.
    private func nextHolds(_ client: ControlClient, _ filter: String?) throws -> [HoldMessage] {
        try DaemonAccess.attempt { () throws(ControlError) in
            let event = try client.nextEvent(timeoutNs: HoldWaitCommand.pauseNs)
            guard case .held(let hold)? = event else { return [] }
            guard let filter else { return [hold] }
            return try client.holds(matching: filter).filter { $0.hold == hold.hold }
        }
    }
}
