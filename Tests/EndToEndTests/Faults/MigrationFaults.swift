import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F31: stores of other versions, and one that was being made when the daemon died.
    struct MigrationFaults {
        @Test
        func `a store is complete at the next start if proxyd was killed while creating it`()
            throws
        {
            let rounds = FaultScale.count(quick: 4, full: 200)
            var halfMade = 0
            for _ in 0..<rounds {
                let data = try ScratchFolder()
                let service = try Service(
                    try Tool.built("proxyd"),
                    ["--listen", "127.0.0.1:0", "--data-dir", data.path + "/data"])
                // It is ready after some tens of milliseconds.
                usleep(UInt32.random(in: 0...40_000))
                service.signal(SIGKILL)
                _ = service.waitForExit()
                if access(data.path + "/data/ca/ca.pem", F_OK) != 0 { halfMade += 1 }
                let again = try Daemon(data: data)
                #expect(try again.proxyctl(["check"]).status == 0)
                #expect(
                    !again.service.errors.contains("it was moved to"), "\(again.service.errors)")
                #expect(again.stop() == 0)
            }
            FaultReport.add(
                "F31", "kill −9 while the store is made for the first time",
                bar: "made once, whole",
                reached: "\(rounds) ×, \(halfMade) before it was ready; all whole", isReached: true)
        }

        /// Finer than each statement: these calls are what a statement does to the files.
        @Test(.enabled(if: FaultNeeds.canTrace, "strace is not installed or not permitted"))
        func
            `a store whose creation was killed at any write or lock is repaired at the next start`()
            throws
        {
            let calls =
                FaultScale.current == .quick ? ["pwrite64"] : ["pwrite64", "fdatasync", "fcntl"]
            let step = FaultScale.count(quick: 12, full: 1)
            var kills = 0
            for call in calls {
                var index = 1
                while try isEnded(at: index, of: call) {
                    kills += 1
                    index += step
                }
                #expect(index > 1, "\(call) is never called")
            }
            FaultReport.add(
                "F31", "kill −9 at each write, flush and lock while the store is made",
                bar: "made once, whole", reached: "\(kills) kills, all whole", isReached: true)
        }

        @Test(.enabled(if: FaultNeeds.canTrace, "strace is not installed or not permitted"))
        func `no exchange is lost if proxyd is killed at any write or flush of a store migration`()
            throws
        {
            let step = FaultScale.count(quick: 12, full: 1)
            var kills = 0
            for call in ["pwrite64", "fdatasync"] {
                var index = 1
                while try isEnded(at: index, of: call, from: 9) {
                    kills += 1
                    index += step
                }
            }
            FaultReport.add(
                "F31", "kill −9 at each write and flush while an older store is migrated",
                bar: "old or new, whole", reached: "\(kills) kills, all whole", isReached: true)
        }

        /// Puts the store of an older version into a data directory.
        private func place(version: Int, in data: ScratchFolder) throws {
            let folder = data.path + "/data"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let packed = URL(filePath: #filePath).appending(
                path: "../../../CaptureTests/Store/Fixtures/version-\(version).sqlite.gz")
            let store = folder + "/captures.sqlite"
            let command = "umask 077; gzip -dc '\(packed.standardized.path)' >'\(store)'"
            #expect(try Tool.run("sh", ["-c", command]).status == 0)
        }

        /// Starts a daemon that is killed at one of its calls, and another one to see what is left;
        /// false when it was ready first.
        private func isEnded(
            at index: Int, of call: String, from version: Int? = nil
        ) throws -> Bool {
            let data = try ScratchFolder()
            if let version { try self.place(version: version, in: data) }
            let command =
                try FaultNeeds.tracing(call, "signal=KILL:when=\(index)")
                + [
                    try Tool.built("proxyd"), "--listen", "127.0.0.1:0", "--data-dir",
                    data.path + "/data",
                ]
            let service = try Service(command[0], Array(command.dropFirst()))
            let isReady = (try? service.readLine())?.hasPrefix("proxyd: listening") == true
            service.signal(SIGKILL)
            _ = service.waitForExit()
            let again = try Daemon(data: data)
            #expect(try again.proxyctl(["check"]).status == 0, "\(call) \(index)")
            #expect(!again.service.errors.contains("it was moved to"), "\(call) \(index)")
            if version != nil {
                let rows = try again.rows(count: 2)
                #expect(rows.map { $0.int("status") } == [200, 502], "\(call) \(index)")
                #expect(rows.allSatisfy { $0.object["received_status"] is NSNull })
            }
            #expect(again.stop() == 0)
            return !isReady
        }

        @Test func `a store of a newer format version is rejected and left unchanged`() throws {
            let proxy = try Daemon()
            #expect(proxy.stop() == 0)
            let store = proxy.directory + "/captures.sqlite"
            try Tool.run("sqlite3", [store, "PRAGMA user_version = 99"])
            let before = try Data(contentsOf: URL(fileURLWithPath: store))
            let outcome = try Tool.run(
                "timeout",
                [
                    "-k", "5", "20", try Tool.built("proxyd"), "--listen", "127.0.0.1:0",
                    "--data-dir", proxy.directory,
                ])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("99"), "\(outcome.errors)")
            #expect(try proxy.proxyctl(["list"]).status == 1)
            let after = try Data(contentsOf: URL(fileURLWithPath: store))
            #expect(before == after)
            FaultReport.add(
                "F31", "a store of a newer version", bar: "refused, untouched",
                reached: "exit status \(outcome.status), \(before == after ? "" : "not ")untouched",
                isReached: outcome.status == 1 && before == after)
        }
    }
}
