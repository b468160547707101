internal import Glibc

/// Closes its descriptor when it goes.
final class OwnedDescriptor: Sendable {
    let value: Int32

    init(_ value: Int32) {
        self.value = value
    }

    deinit {
        close(value)
    }
}
