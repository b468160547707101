import Foundation
import ProxydTestSupport
import Testing

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
