internal import ProxydSystem
internal import Glibc

/// The users of a listener, and the hashes of their passwords.
public struct UserTable: Sendable, Hashable {
    /// The hash of each user by the bytes of the name.
    public private(set) var hashes: [[UInt8]: PasswordHash] = [:]
    /// The names in the order of the file.
    public private(set) var names: [[UInt8]] = []

    public init() {}

    /// Adds a user; returns false if there is one of this name.
    mutating func add(_ name: [UInt8], _ hash: PasswordHash) -> Bool {
        guard hashes.updateValue(hash, forKey: name) == nil else { return false }
        names.append(name)
        return true
    }
}

public struct UsersFileMistake: Error, Sendable, Hashable {
    /// The line, from 1.
    public let line: Int
    /// What is wrong, and what to do.
    public let message: String
}

public struct UsersFileMistakes: Error, Sendable, Hashable {
    /// The mistakes in the order of their lines; at least one.
    public let all: [UsersFileMistake]
}

/// The text of a users file: lines of `name:hash`, as `htpasswd` writes them, empty lines, and
/// comments that start with `#`.
public enum UsersFile {
    public static let byteCountMax = 4 << 20
    public static let nameByteCountMax = 255

    public static func users(of bytes: [UInt8]) throws(UsersFileMistakes) -> UserTable {
        var table = UserTable()
        var mistakes: [UsersFileMistake] = []
        for (index, line) in lines(of: bytes).enumerated() {
            guard let entry = Entry(line) else { continue }
            do throws(PasswordHash.Refusal) {
                if let objection = objection(to: entry.name) {
                    throw PasswordHash.Refusal(message: objection)
                }
                guard let hash = entry.hash else {
                    throw PasswordHash.Refusal(message: "expected NAME:HASH")
                }
                if !table.add(entry.name, try PasswordHash(hash)) {
                    throw PasswordHash.Refusal(
                        message: "the user \(entry.shownName) is there twice")
                }
            } catch {
                mistakes.append(UsersFileMistake(line: index + 1, message: error.message))
            }
        }
        guard mistakes.isEmpty else { throw UsersFileMistakes(all: mistakes) }
        return table
    }

    /// Why a name cannot be a user's; nil if it can.
    public static func objection(to name: [UInt8]) -> String? {
        if name.isEmpty { return "a user needs a name before the colon" }
        if name.count > nameByteCountMax {
            return "the name is longer than \(nameByteCountMax) bytes"
        }
        if name.contains(UInt8(ascii: ":")) { return "a name must not contain a colon" }
        let isPrintable = name.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isPrintable, name.first != UInt8(ascii: "#"), isText(name) else {
            return "a name must be text without spaces and control characters, and not start with #"
        }
        return nil
    }

    private static func isText(_ name: [UInt8]) -> Bool {
        String(validating: name, as: UTF8.self) != nil
    }

    /// The file with a user's hash replaced, or added at its end. All other lines stay as they are.
    public static func setting(
        _ hash: PasswordHash, of name: [UInt8], in bytes: [UInt8]
    ) -> (bytes: [UInt8], isNew: Bool) {
        let line = name + [UInt8(ascii: ":")] + Array(hash.text.utf8)
        var isNew = true
        var kept: [[UInt8]] = []
        for old in lines(of: bytes) {
            guard Entry(old)?.name == name else {
                kept.append(Array(old))
                continue
            }
            if isNew { kept.append(line) }
            isNew = false
        }
        if isNew { kept.append(line) }
        return (joined(kept), isNew)
    }

    /// The file without a user; nil if it has no such user.
    public static func removing(_ name: [UInt8], from bytes: [UInt8]) -> [UInt8]? {
        let all = lines(of: bytes)
        let kept = all.filter { Entry($0)?.name != name }
        return kept.count == all.count ? nil : joined(kept.map { Array($0) })
    }

    private static func joined(_ lines: [[UInt8]]) -> [UInt8] {
        Array(lines.map { $0 + [0x0A] }.joined())
    }

    /// Lines without their ends; the last one need not have an end.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { $0.last == 0x0D ? $0.dropLast() : $0 }
    }

    /// A line with a user.
    private struct Entry {
        let name: [UInt8]
        /// Nil if the line has no colon.
        let hash: String?

        /// Nil for an empty line or a comment.
        init?(_ line: ArraySlice<UInt8>) {
            // Some editors start files with a byte order mark.
            var line = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
            line = line.drop { $0 == 0x20 || $0 == 0x09 }
            while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
            guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
            name = Array(line[..<(colon ?? line.endIndex)])
            hash = colon.map { String(decoding: line[($0 + 1)...], as: UTF8.self) }
        }

        var shownName: String { String(decoding: name, as: UTF8.self) }
    }
}

/// A users file on disk, which only its owner may read: hashes can be guessed at leisure.
public struct PrivateUsersFile: Sendable {
    public enum Failure: Error, Sendable, Hashable {
        /// The file as a whole; why, and what to do.
        case file(String)
        /// Lines of it.
        case lines([UsersFileMistake])
    }

    public let path: String

    /// A file that need not exist.
    public init(path: String) { self.path = path }

    public func users() throws(Failure) -> UserTable {
        let bytes = try bytes()
        do throws(UsersFileMistakes) {
            return try UsersFile.users(of: bytes)
        } catch {
            throw .lines(error.all)
        }
    }

    public func bytes() throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PrivateUsersFile.unreadable() }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw PrivateUsersFile.unreadable() }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .file("it is not a file") }
        guard facts.st_uid == geteuid() || facts.st_uid == 0 else {
            throw .file("it belongs to another user: change its owner with chown")
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw .file("others may read it: make it private with `chmod 600`")
        }
        guard facts.st_size <= UsersFile.byteCountMax else {
            throw .file("it is larger than \(UsersFile.byteCountMax) bytes")
        }
        return try PrivateUsersFile.contents(of: descriptor)
    }

    /// Replaces the whole file. A new one is private to its owner, who stays the same.
    public func write(_ bytes: [UInt8]) throws(Failure) {
        var facts = stat()
        let isThere = stat(path, &facts) == 0
        do throws(SystemError) {
            let draft = try FileDraft(of: path)
            try draft.write(bytes)
            if isThere, facts.st_uid != geteuid() {
                guard fchown(draft.descriptor, facts.st_uid, facts.st_gid) == 0 else {
                    throw SystemError()
                }
            }
            try draft.commit()
        } catch {
            throw .file("cannot be written: \(error)")
        }
    }

    public var exists: Bool { access(path, F_OK) == 0 }

    private static func contents(of descriptor: Int32) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: UsersFile.byteCountMax + 1)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress.map { $0 + filled }, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable() }
            if count == 0 { break }
            filled += count
        }
        return Array(bytes[..<filled])
    }

    private static func unreadable() -> Failure {
        .file("cannot be read: \(String(cString: strerror(errno)))")
    }
}

/// The users of each listener. Listeners without users are open to all clients that may reach them.
public struct ListenerUsers: Sendable {
    /// The users of listeners that are known by name, or nil for those without.
    private var tables: [String: UserTable?] = [:]
    /// The users of all other listeners, or nil.
    private var others: UserTable?

    public init(others: UserTable? = nil) { self.others = others }

    /// Whether no listener has users.
    var isEmpty: Bool { others == nil && tables.values.allSatisfy { $0 == nil } }

    /// Sets the users of a listener; nil if it has none.
    public mutating func set(_ table: UserTable?, of listener: String) {
        tables.updateValue(table, forKey: listener)
    }

    /// The users of a listener, or nil if it has none.
    public subscript(listener: String) -> UserTable? {
        if let known = tables[listener] { known } else { others }
    }

    /// Replaces the users. A listener that is no longer among them by name is still served until
    /// the next restart, and must not become open.
    mutating func replace(with next: ListenerUsers) {
        tables.merge(next.tables) { _, new in new }
        others = next.others
    }
}
