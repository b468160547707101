internal import Glibc

/// Words for the operating system's error numbers.
enum SystemMessage {
    /// What an error number means. `strerror_r` needs no lock, unlike `strerror`.
    static func text(_ number: Int32) -> String {
        var room = [CChar](repeating: 0, count: 128)
        guard strerror_r(number, &room, room.count) == 0 else { return "error \(number)" }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
