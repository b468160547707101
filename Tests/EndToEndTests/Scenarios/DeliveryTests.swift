import Foundation
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// What the daemon does for a program that delivers its store to a central one.
@Suite(.timeLimit(.minutes(10)))
struct DeliveryTests {
    @Test
    func `retention keeps exchanges that are not shipped yet; proxyctl status counts them`()
        throws
    {
        let origin = try ReplayOrigin()
        let daemon = try Daemon(configuration: "[recording]\nretention_exchange_count_max = 3\n")
        #expect(try daemon.status().isNull("delivered_through"))
        try daemon.noteDelivery(through: 2)
        for number in 1...8 { try daemon.curl("http://\(origin.authority)/\(number)") }
        // Had the others been removed too, this number would never be seen.
        try daemon.waitUntil(stored: 6)
        var status = try daemon.status()
        #expect(status.int("delivered_through") == 2)
        #expect(status.int("undelivered_exchanges") == 6)
        #expect(status.int("undelivered_lost") == 0)
        #expect(try daemon.proxyctl(["status"]).text.contains("through 2, 6 exchanges waiting"))
        try daemon.noteDelivery(through: 8)
        try daemon.waitUntil(stored: 3)
        status = try daemon.status()
        #expect(status.int("undelivered_exchanges") == 0)
        #expect(status.int("undelivered_lost") == 0)
        #expect(daemon.stop() == 0)
    }

    @Test(.enabled(if: SmallDisk.canMount, "mounting a disk of one's own is not permitted"))
    func `on an almost full disk, exchanges not yet shipped are deleted and counted as lost`()
        throws
    {
        let rig = try LoadRig()
        let disk = try SmallDisk(
            rig,
            "[recording]\nfree_space_floor_byte_count = 4194304\n"
                + "retention_exchange_count_max = 50\n")
        try disk.proxy.noteDelivery(through: 0)
        #expect(try rig.send(0..<200, through: disk.proxy).int("done") == 200)
        try disk.proxy.settle()
        #expect(try disk.proxy.status().int("undelivered_exchanges") == 200)
        try disk.fill(leaving: 4 << 20)
        try disk.proxy.waitUntil(stored: 50)
        #expect(try disk.proxy.status().int("undelivered_lost") == 150)
        #expect(try disk.proxy.status().int("undelivered_exchanges") == 50)
    }
}

extension Daemon {
    /// Says on the control socket how far the store was delivered.
    fileprivate func noteDelivery(through: Int) throws {
        let script = """
            import socket, sys
            control = socket.socket(socket.AF_UNIX)
            control.connect(sys.argv[1])
            control.sendall(sys.argv[2].encode() + b"\\n")
            print(control.makefile().readline().strip())
            """
        let progress = #"{"through":\#(through),"mark":7,"changesThrough":0}"#
        let command = #"{"id":1,"command":{"noteDelivery":{"progress":\#(progress)}}}"#
        let outcome = try run("python3", ["-c", script, directory + "/control.sock", command])
        #expect(outcome.text == #"{"id":1,"result":{"done":{}}}"# + "\n", "\(outcome)")
    }

    /// Waits until the store has as many exchanges.
    fileprivate func waitUntil(stored count: Int) throws {
        try Eventually.isTrue(orFail: "not \(count) exchanges: \(try status().object)") {
            try status().int("stored_exchanges") == count
        }
    }
}
