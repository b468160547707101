import Glibc
import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// IP addresses as text.
struct InternetAddressTests {
    /// What the C library reads.
    private static func foreign(_ text: String) -> [UInt8]? {
        // It would stop at a NUL.
        guard !text.utf8.contains(0) else { return nil }
        for (family, byteCount) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: byteCount)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    @Test func `an IP address is parsed into bytes in network byte order`() {
        #expect(InternetAddress("192.0.2.255")?.bytes == [192, 0, 2, 255])
        #expect(
            InternetAddress("2001:DB8::c0:1")?.bytes
                == [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 1])
        #expect(
            InternetAddress("::ffff:192.0.2.1")?.bytes
                == [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 1])
        #expect(InternetAddress("::")?.bytes == [UInt8](repeating: 0, count: 16))
        #expect(InternetAddress("1::")?.bytes == [0, 1] + [UInt8](repeating: 0, count: 14))
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1.2.3.+4", "1.2.3.4 ", "[::1]",
        "::1%1", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "::1.2.3",
        "::01.2.3.4", "::g", "1.2.3.4\0", "localhost",
    ])
    func `strings that are not exactly an IP address are rejected`(text: String) {
        #expect(InternetAddress(text) == nil)
    }

    @Test func `the IP address parser gives the same results as inet_pton for random strings`() {
        var random = SplitMix(seed: 7)
        let parts = ["0", "1", "255", "256", "ff", "db8", "1.2.3.4", "01", ":", "::", ".", "g"]
        var count = 0
        for _ in 0..<200_000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                text += parts.pick(&random)
                if Bool.random(using: &random) { text += [":", "."].pick(&random) }
            }
            let bytes = InternetAddress(text)?.bytes
            #expect(bytes == Self.foreign(text), "\(text)")
            if bytes != nil { count += 1 }
        }
        #expect(count > 100)
    }
}
