import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F27: the wall clock jumps while the daemon runs.
    @Suite(
        .enabled(if: FaultNeeds.clockLibrary != nil, "faketime is not installed"),
        .disabled(if: Sanitizer.isThere, "a sanitizer asks for the time before faketime can tell"))
    struct ClockFaults {
        @Test
        func `after a clock jump, requests succeed, durations are valid and certificates renew`()
            throws
        {
            let certificate = try TestCertificate()
            let origin = try Origin(), secure = try Origin(tls: certificate)
            let data = try ScratchFolder()
            let clockFile = data.path + "/clock"
            try "+0".write(toFile: clockFile, atomically: true, encoding: .utf8)
            let proxy = try Daemon(
                configuration: "[tls]\nunverified_hosts = [\"localhost\"]\n", data: data,
                launcher: [
                    // jemalloc asks for the time before faketime can tell: malloc is libc's here,
                    // and with it what C++ allocates.
                    "/usr/bin/env",
                    "LD_PRELOAD=\(try #require(FaultNeeds.clockLibrary)):libc.so.6:libstdc++.so.6",
                    "FAKETIME_TIMESTAMP_FILE=\(clockFile)", "FAKETIME_NO_CACHE=1",
                    "FAKETIME_DONT_FAKE_MONOTONIC=1",
                    // The library changes the environment of the first program that loads it,
                    // where Swift then does not find the arguments.
                    "/usr/bin/env",
                ])
            let shareBefore = try idleShare(proxy)
            // The authority lives for two years; beyond them no leaf can be made.
            let jumps = [
                ("+0", true), ("+40d", true), ("-3600", true), ("+3650d", false),
                ("@2038-01-19 03:13:57", false), ("+0", true),
            ]
            var wrongLeaves: [String] = []
            for (jump, hasAuthority) in jumps {
                try jump.write(toFile: clockFile, atomically: true, encoding: .utf8)
                for number in 0..<FaultScale.count(quick: 3, full: 100) {
                    let path = "/clock/\(number)"
                    #expect(try proxy.curl("-f", "-o", "/dev/null", origin.url(path)).status == 0)
                    let outcome = try proxy.curl("-k", "-f", "-o", "/dev/null", secure.url(path))
                    #expect((outcome.status == 0) == hasAuthority, "\(jump): \(outcome.errors)")
                }
                if hasAuthority, try !isLeafValid(proxy, secure, clockFile) {
                    wrongLeaves.append(jump)
                }
            }
            let share = try idleShare(proxy)
            try proxy.settle()
            let rows = try proxy.rows("path:/clock", count: jumps.count * 3)
            let refused = try proxy.rows("method:CONNECT", count: 6)
            #expect(refused.allSatisfy { $0.text("error")?.contains("certificate") == true })
            let durations = rows.compactMap { $0.double("duration_ms") }
            #expect(durations.count == rows.count)
            #expect(durations.allSatisfy { (0..<60_000).contains($0) })
            #expect(wrongLeaves == [])
            #expect(proxy.stop() == 0)
            let numbers = rows.compactMap { $0.int("id") }
            #expect(numbers == numbers.sorted())
            FaultReport.add(
                "F27", "the clock jumps: +40 d, −1 h, +10 y, 2038",
                bar: "no timer storm, no negative duration, leaves made anew",
                reached: "\(rows.count) requests, longest "
                    + "\(FaultReport.text((durations.max() ?? 0) / 1_000)), "
                    + "\(wrongLeaves.count) wrong leaves, idle "
                    + String(format: "%.0f %% (before: %.0f %%)", share * 100, shareBefore * 100),
                isReached: wrongLeaves.isEmpty && share < 0.1 + 2 * shareBefore)
        }

        /// The share of a processor it takes with nothing to do; the library takes some for itself.
        private func idleShare(_ proxy: Daemon) throws -> Double {
            let before = try proxy.processorSeconds()
            sleep(1)
            return try proxy.processorSeconds() - before
        }

        /// Whether the leaf that the proxy shows is valid at the time that it believes in.
        private func isLeafValid(
            _ proxy: Daemon, _ origin: Origin, _ clockFile: String
        ) throws -> Bool {
            let script = """
                openssl s_client -proxy 127.0.0.1:\(proxy.port) -connect localhost:\(origin.port) \
                  -servername localhost </dev/null 2>/dev/null \
                | openssl x509 -noout -startdate -enddate
                LD_PRELOAD=\(FaultNeeds.clockLibrary ?? "") FAKETIME_NO_CACHE=1 \
                  FAKETIME_TIMESTAMP_FILE='\(clockFile)' date -u +%s
                """
            let lines = try Tool.run("/bin/sh", ["-c", script]).text.split(separator: "\n")
            guard lines.count == 3, let now = Double(lines[2]) else { return false }
            let dates = lines.prefix(2).map { String($0.split(separator: "=", maxSplits: 1)[1]) }
            let seconds = try dates.map {
                try Tool.run("date", ["-u", "-d", $0, "+%s"]).text
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }.compactMap { Double($0) }
            return seconds.count == 2 && seconds[0] <= now && now < seconds[1]
        }
    }
}
