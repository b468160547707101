import Foundation
import ProxydTestSupport
import Testing

extension FaultMatrix {
    /// F33: two simultaneous faults.
    struct CompoundFaults {
        @Test(.enabled(if: SmallDisk.canMount, "mounting a disk of one's own is not permitted"))
        func `kill -9 while the disk is full leaves the store intact`() throws {
            let rounds = FaultScale.count(quick: 1, full: 20)
            for round in 0..<rounds {
                let rig = try LoadRig()
                let disk = try SmallDisk(rig, "[recording]\nfree_space_floor_byte_count = 0\n")
                #expect(try rig.send(0..<100, through: disk.proxy).int("done") == 100)
                try disk.proxy.settle()
                try disk.fill()
                let numbers = 100..<400
                let load = LoadInBackground(rig, numbers, disk.proxy)
                #expect(try load.result().int("done") == 300, "round \(round)")
                // The disk is the daemon's own and ends with it: it is looked at before.
                let copy = try ScratchFolder()
                disk.proxy.service.signal(SIGSTOP)
                _ = try disk.proxy.run("cp", ["-a", disk.proxy.directory, copy.path + "/data"])
                disk.proxy.service.signal(SIGKILL)
                _ = disk.proxy.service.waitForExit()
                unlink(copy.path + "/data/filler")
                unlink(copy.path + "/data/control.sock")
                let again = try Daemon(trusting: rig.certificate, data: copy)
                let stored = try rig.check(0..<100, in: again)
                #expect(stored.text("integrity") == "ok")
                #expect(stored.int("missing_count") == 0, "\(stored.object)")
            }
            FaultReport.add(
                "F33", "killed while the disk is full", bar: "whole, nothing from before lost",
                reached: "\(rounds) × whole, 0 lost", isReached: true)
        }

        /// What a kill left in the log, on a disk that takes nothing when the next start reads it.
        @Test(.enabled(if: FaultNeeds.canTrace, "strace is not installed or not permitted"))
        func `no stored exchange is lost if the disk is full during write-ahead log recovery`()
            throws
        {
            let rig = try LoadRig()
            let killed = try Daemon(trusting: rig.certificate)
            #expect(try rig.send(0..<200, through: killed).int("done") == 200)
            try killed.settle()
            killed.service.signal(SIGKILL)
            _ = killed.service.waitForExit()
            let calls = FaultScale.current == .quick ? ["pwrite64"] : ["pwrite64", "ftruncate"]
            let places = FaultScale.current == .quick ? ["1+"] : ["1", "2", "3", "1+", "2+", "5+"]
            var refused = 0, runs = 0
            for call in calls {
                for place in places {
                    runs += 1
                    let isRefused = try !starts(
                        on: killed.data, "\(call):ENOSPC:\(place)", rig,
                        FaultNeeds.tracing(call, "error=ENOSPC:when=\(place)"))
                    if isRefused { refused += 1 }
                }
            }
            FaultReport.add(
                "F33", "a full disk when the log is taken in", bar: "whole, nothing lost",
                reached: "\(runs) ×: 0 of 200 lost, \(refused) refused to start and said why",
                isReached: true)
        }

        /// Starts on a copy while a fault is there, and then without it: what was stored is there.
        private func starts(
            on data: ScratchFolder, _ what: String, _ rig: LoadRig, _ launcher: [String]
        ) throws -> Bool {
            let copy = try ScratchFolder()
            try Tool.run("cp", ["-a", data.path + "/data", copy.path + "/data"])
            var isStarted = false
            do {
                let proxy = try Daemon(
                    trusting: rig.certificate, data: copy, launcher: launcher)
                isStarted = true
                #expect(try rig.send(200..<220, through: proxy).int("done") == 20, "\(what)")
                proxy.service.signal(SIGKILL)
                _ = proxy.service.waitForExit()
            } catch let failure as Tool.Failure {
                #expect(failure.description.contains("proxyd:"), "\(what): no cause: \(failure)")
            }
            let again = try Daemon(trusting: rig.certificate, data: copy)
            let stored = try rig.check(0..<200, in: again)
            #expect(stored.text("integrity") == "ok", "\(what)")
            #expect(stored.int("missing_count") == 0, "\(what): \(stored.object)")
            #expect(!again.service.errors.contains("it was moved to"), "\(what)")
            #expect(again.stop() == 0)
            return isStarted
        }

        @Test func `valid requests succeed while broken TLS handshakes and SIGHUPs reach proxyd`()
            throws
        {
            let certificate = try TestCertificate()
            let proxy = try Daemon(trusting: certificate)
            let report = try FaultDriver.run(
                "fault_handshakes", against: proxy,
                [
                    "--mode", "cut", "--step", String(FaultScale.count(quick: 60, full: 3)),
                    "--reload-every", "3",
                ], seconds: 600, tls: certificate)
            #expect(report.int("wrong_count") == 0, "\(report.object)")
            FaultReport.add(
                "F33", "SIGHUP at every third of a storm of broken handshakes",
                bar: "0 good requests fail",
                reached: "\(report.int("reloads") ?? 0) × in \(report.int("handshakes") ?? 0) "
                    + "handshakes, \(report.int("wrong_count") ?? -1) wrong",
                isReached: report.int("wrong_count") == 0)
        }

        /// Another program that keeps the store for longer than anyone waits, and one that lets go
        /// of it when the daemon is already ending.
        @Test(arguments: [false, true])
        func `proxyd exits on SIGTERM even while another process locks the store`(isLetGo: Bool)
            throws
        {
            let origin = try Origin()
            let proxy = try Daemon()
            try proxy.curl(origin.url("/before"))
            _ = try proxy.row()
            let other = try OtherProgram(.alone, store: proxy.directory + "/captures.sqlite")
            try proxy.curl(origin.url("/locked"))
            let clock = ContinuousClock()
            let taken = try clock.measure {
                proxy.service.signal(SIGTERM)
                if isLetGo {
                    try Eventually.isTrue(orFail: "new clients are still taken") {
                        (try? RawClient(port: proxy.port)) == nil
                    }
                    other.end()
                }
                #expect(proxy.service.waitForExit() == 0)
            }
            other.end()
            let again = try Daemon(data: proxy.data)
            #expect(try again.proxyctl(["check"]).status == 0)
            #expect(try again.rows("path:/before", count: 1).count == 1)
            if isLetGo { #expect(try again.rows("path:/locked", count: 1).count == 1) }
            let seconds = taken / .seconds(1)
            FaultReport.add(
                "F33", "SIGTERM while the store is locked\(isLetGo ? ", and then let go" : "")",
                bar: "exit 0 ≤ 11 s, store whole\(isLetGo ? ", nothing lost" : "")",
                reached: FaultReport.text(seconds), isReached: seconds <= 11)
        }

        @Test func `no request fails when proxyd gets SIGHUP every few milliseconds under load`()
            throws
        {
            let rig = try LoadRig()
            let proxy = try Daemon(trusting: rig.certificate)
            let batch = FaultScale.count(quick: 200, full: 4_000)
            let load = LoadInBackground(rig, 0..<batch, proxy)
            var reloads = 0
            while load.isRunning {
                proxy.service.signal(SIGHUP)
                reloads += 1
                usleep(5_000)
            }
            let sent = try load.result()
            #expect(sent.int("done") == batch, "\(sent.object)")
            #expect(sent.int("failed_count") == 0, "\(sent.object)")
            FaultReport.add(
                "F33", "SIGHUP every few milliseconds under load", bar: "0 failed requests",
                reached: "\(reloads) ×, \(sent.int("failed_count") ?? -1) of \(batch) failed",
                isReached: sent.int("done") == batch)
        }
    }
}
