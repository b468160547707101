import Testing

@testable import ProxydTransport

/// Exchanges that wait for a server's word on extended CONNECT.
struct ExtendedConnectWatchTests {
    @Test
    func `an observer of extended CONNECT support is called once, or never if it was removed`() {
        final class Owner {}
        let (first, second) = (Owner(), Owner())
        let target = ConnectTarget(host: "a", port: 1, tls: nil)
        let other = ConnectTarget(host: "b", port: 1, tls: nil)
        var told: [String] = []
        var watch = ExtendedConnectWatch()
        watch.add(target, for: first) { told.append("first") }
        watch.add(target, for: second) { told.append("second") }
        watch.add(other, for: first) { told.append("other") }
        watch.remove(target, for: second)
        watch.remove(other, for: second)
        for tell in watch.take(target) { tell() }
        #expect(told == ["first"] && watch.take(target).isEmpty)
        #expect(watch.take(other).count == 1)
    }
}
