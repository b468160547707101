import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F24: signals, and standard streams that are not what they should be.
    struct SignalFaults {
        @Test func `after SIGSTOP and SIGCONT under load, proxyd continues and loses no exchange`()
            throws
        {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let batch = FaultScale.count(quick: 300, full: 3_000)
            let load = LoadInBackground(rig, 0..<batch, proxy)
            _ = try proxy.rows(count: 10, final: false)
            proxy.service.signal(SIGSTOP)
            // That is the fault: it does nothing for so long.
            sleep(UInt32(FaultScale.count(quick: 1, full: 30)))
            proxy.service.signal(SIGPIPE)
            proxy.service.signal(SIGCONT)
            let sent = try load.result()
            #expect(sent.int("done") == batch, "\(sent.object)")
            try proxy.settle()
            #expect(try rig.check(0..<batch, in: proxy).int("wrong_count") == 0)
            FaultReport.add(
                "F24", "SIGSTOP under load, SIGPIPE, SIGCONT", bar: "goes on, nothing lost",
                reached: "\(sent.int("done") ?? 0) of \(batch) answered and recorded",
                isReached: sent.int("done") == batch)
        }

        /// Shell commands that start the daemon `$@` with streams that are closed, full or read by
        /// no one, and its log as talkative as it can be.
        @Test(arguments: [
            ("stdin closed", "exec \"$@\" <&-"),
            ("stderr closed", "exec \"$@\" 2>&-"),
            ("a log that nobody reads", "exec \"$@\" 2>fifo"),
            ("a full disk as log", "exec \"$@\" 2>/dev/full"),
        ])
        func `proxyd keeps running if its stdin or stderr is closed or its log cannot be written`(
            what: String, command: String
        )
            throws
        {
            let data = try ScratchFolder()
            // Opened for both ways, the pipe has a reader that never reads.
            let script = "cd '\(data.path)'; mkfifo fifo; exec 9<>fifo; \(command)"
            let origin = try Origin()
            let proxy = try Daemon(
                configuration: "log_level = \"trace\"\n", data: data,
                launcher: ["/bin/sh", "-c", script, "sh"])
            let count = FaultScale.count(quick: 20, full: 2_000)
            let before = try proxy.processorSeconds()
            let client = try RawClient(port: proxy.port)
            for number in 0..<count {
                client.send("GET \(origin.url("/s\(number)")) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.read(until: "\r\n\r\n")
                _ = try client.read(until: "}")
            }
            for _ in 0..<FaultScale.count(quick: 3, full: 300) { proxy.service.signal(SIGHUP) }
            try proxy.settle()
            #expect(try proxy.rows("path:/s", count: count).count >= count)
            let spent = try proxy.processorSeconds() - before
            #expect(proxy.stop() == 0)
            FaultReport.add(
                "F24", what, bar: "no end, no busy loop",
                reached: "\(count) requests, \(FaultReport.text(spent)) of a processor",
                isReached: spent < 10)
        }

        @Test func `proxyd exits on SIGINT or SIGTERM during startup and leaves the store intact`()
            throws
        {
            var statuses: [Int32: Int] = [:]
            let rounds = FaultScale.count(quick: 6, full: 100)
            for round in 0..<rounds {
                let data = try ScratchFolder()
                let service = try Service(
                    try Tool.built("proxyd"),
                    ["--listen", "127.0.0.1:0", "--data-dir", data.path + "/data"])
                usleep(UInt32.random(in: 0...60_000))
                service.signal(round.isMultiple(of: 2) ? SIGINT : SIGTERM)
                // One that had not begun to listen for it is ended by the signal itself.
                statuses[service.waitForExit(), default: 0] += 1
                let again = try Daemon(data: data)
                #expect(try again.proxyctl(["check"]).status == 0)
                #expect(again.stop() == 0)
            }
            #expect(Set(statuses.keys).isSubset(of: [0, SIGINT, SIGTERM]), "\(statuses)")
            FaultReport.add(
                "F24", "SIGINT or SIGTERM while it starts", bar: "ends, and starts again",
                reached: "\(rounds) ×, exit statuses \(statuses.keys.sorted())", isReached: true)
        }
    }
}

extension FaultMatrix {
    /// F23: SIGHUP again and again while requests pass.
    struct ReloadFaults {
        @Test
        func `a reload under load fails no request, and a broken configuration changes nothing`()
            throws
        {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let count = FaultScale.count(quick: 15, full: 100)
            let batch = FaultScale.count(quick: 400, full: 4_000)
            let load = LoadInBackground(rig, 0..<batch, proxy)
            for number in 1...count {
                let before = proxy.service.errors.components(separatedBy: "reloaded").count
                let isBroken = number.isMultiple(of: 3)
                let text =
                    isBroken
                    ? "[limits]\n\nhead_byte_count_max = \"\(number)\"\n"
                    : "[limits]\nfield_count_max = \(1_000 + number)\n"
                try proxy.reload(text, untilCountExceeds: before)
            }
            let sent = try load.result()
            #expect(sent.int("done") == batch, "\(sent.object)")
            #expect(sent.int("failed_count") == 0, "\(sent.object)")
            #expect(sent.int("wrong_count") == 0, "\(sent.object)")
            let refused = proxy.service.errors.components(separatedBy: "was not reloaded").count - 1
            #expect(refused == count / 3)
            #expect(proxy.service.errors.contains("proxyd.toml:3: "))
            FaultReport.add(
                "F23", "SIGHUP under load, every third with a broken configuration",
                bar: "100 ×: 0 failed requests; the old one stays, the line is named",
                reached: "\(count) ×, \(sent.int("failed_count") ?? -1) of \(batch) failed, "
                    + "\(refused) refused with their line", isReached: sent.int("done") == batch)
        }
    }
}

extension Daemon {
    /// Writes another configuration, sends SIGHUP, and waits until the log says how it ended.
    fileprivate func reload(_ configuration: String, untilCountExceeds count: Int) throws {
        try configuration.write(
            toFile: data.path + "/proxyd.toml", atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        try Eventually.isTrue(orFail: "SIGHUP is not answered: \(service.errors)") {
            service.errors.components(separatedBy: "reloaded").count > count
        }
    }
}
