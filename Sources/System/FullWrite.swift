internal import Glibc

/// Writes that go on until every byte is written.
public enum FullWrite {
    /// Writes bytes to a blocking descriptor; continues after interrupted and partial writes. What
    /// was written before an error stays written.
    public static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError() }
            rest = rest.dropFirst(count)
        }
    }
}
