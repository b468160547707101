internal import Glibc

/// Finds the process that has a socket open.
///
/// A client opens many connections, so the most recently found processes are examined first, and
/// what a search sees of other sockets answers later ones. Not for concurrent use.
struct SocketOwnerSearch {
    /// The most descriptors examined in one search: a machine with more open files gets no answer
    /// instead of a search that takes seconds.
    static let linkCountMax = 200_000
    /// How many recent processes are checked first: more than one person's clients, few enough to
    /// check each time.
    private static let recentCountMax = 8

    /// How many sockets are remembered: as many as may wait to be looked up, with room.
    private static let ownerCountMax = 4_096

    /// Where a socket was seen.
    private struct Owner {
        var pid: Int32
        var descriptor: Int32
    }

    private let proc: ProcFileSystem
    private var recent: [Int32] = []
    private var owners: [UInt32: Owner] = [:]

    init(procDirectory: String = "/proc") { proc = ProcFileSystem(root: procDirectory) }

    /// The process that has the socket with this inode open; nil if none is visible.
    mutating func owner(ofInode inode: UInt32, uid: UInt32) -> LocalProcess? {
        guard let pid = rememberedID(owning: inode) ?? processID(owning: inode, uid: uid),
            let name = proc.programName(of: pid)
        else { return nil }
        recent.removeAll { $0 == pid }
        recent.insert(pid, at: 0)
        if recent.count > Self.recentCountMax { recent.removeLast() }
        return LocalProcess(pid: pid, name: name)
    }

    /// A remembered place is checked again and forgotten, so that another process that has taken it
    /// over is never the answer.
    private mutating func rememberedID(owning inode: UInt32) -> Int32? {
        guard let owner = owners.removeValue(forKey: inode),
            proc.isSocket(inode, descriptor: owner.descriptor, of: owner.pid)
        else { return nil }
        return owner.pid
    }

    private mutating func processID(owning inode: UInt32, uid: UInt32) -> Int32? {
        if owners.count >= Self.ownerCountMax { owners = [:] }
        var linkBudget = Self.linkCountMax
        for pid in recent where owns(pid, of: inode, &linkBudget) { return pid }
        // The youngest come first: children inherit sockets, and the child is the one at work. A
        // program that has changed its user has sockets of another user, so it comes last.
        let others = proc.processIDs().filter { !recent.contains($0) }
        let userIDs = others.map { proc.userID(of: $0) }
        let likely = zip(others, userIDs).filter { $0.1 == uid }.map(\.0)
        let unlikely = zip(others, userIDs).filter { $0.1 != uid }.map(\.0)
        for pid in likely + unlikely where owns(pid, of: inode, &linkBudget) { return pid }
        return nil
    }

    private mutating func owns(_ pid: Int32, of inode: UInt32, _ linkBudget: inout Int) -> Bool {
        let isRecent = recent.contains(pid)
        let proc = proc
        let found = proc.descriptor(of: pid, owning: inode, linkBudget: &linkBudget) {
            // Nothing is worth remembering of a program that was never a client.
            guard isRecent, owners.count < Self.ownerCountMax else { return }
            owners[$0] = Owner(pid: pid, descriptor: $1)
        }
        return found != nil
    }
}

/// What `/proc` says about processes (proc(5)). Other users' processes are invisible without
/// privileges; a process may end between two reads, which is not an error.
struct ProcFileSystem {
    let root: String

    /// All visible processes, youngest first as far as their numbers tell.
    func processIDs() -> [Int32] {
        guard let directory = opendir(root) else { return [] }
        defer { closedir(directory) }
        return numbers(in: directory).sorted(by: >)
    }

    func userID(of pid: Int32) -> UInt32? {
        var status = stat()
        guard stat("\(root)/\(pid)", &status) == 0 else { return nil }
        return status.st_uid
    }

    /// The descriptor of a process for the socket with an inode; nil if it has none.
    /// - Parameters:
    ///   - linkBudget: How many descriptors may still be examined; decremented.
    ///   - note: Called with every other socket that was seen on the way.
    func descriptor(
        of pid: Int32, owning inode: UInt32, linkBudget: inout Int,
        note: (_ inode: UInt32, _ descriptor: Int32) -> Void
    ) -> Int32? {
        guard let directory = opendir("\(root)/\(pid)/fd") else { return nil }
        defer { closedir(directory) }
        // The newest first: connections are looked up while they are new, and the client that
        // opened this one may have thousands.
        for descriptor in numbers(in: directory).sorted(by: >) {
            guard linkBudget > 0 else { return nil }
            linkBudget -= 1
            guard let found = socketInode(at: "\(descriptor)", in: dirfd(directory)) else {
                continue
            }
            if found == inode { return descriptor }
            note(found, descriptor)
        }
        return nil
    }

    func isSocket(_ inode: UInt32, descriptor: Int32, of pid: Int32) -> Bool {
        socketInode(at: "\(root)/\(pid)/fd/\(descriptor)", in: AT_FDCWD) == inode
    }

    /// The inode in a link that reads `socket:[4711]`; nil for any other.
    private func socketInode(at path: String, in directory: Int32) -> UInt32? {
        // "socket:[", at most ten digits, "]"; one byte more reveals a longer link.
        var target = [CChar](repeating: 0, count: 20)
        let count = readlinkat(directory, path, &target, target.count)
        guard count > 0, count < target.count else { return nil }
        let bytes = target.prefix(count).map(UInt8.init(bitPattern:))
        guard bytes.starts(with: "socket:[".utf8), bytes.last == UInt8(ascii: "]") else {
            return nil
        }
        return Int64(decimal: bytes.dropFirst(8).dropLast()).flatMap(UInt32.init(exactly:))
    }

    /// A process's program name, without its path.
    ///
    /// The kernel cuts the name after 15 bytes: a longer one is taken from the program's file if
    /// that starts the same.
    func programName(of pid: Int32) -> String? {
        guard let line = firstLine(of: "\(root)/\(pid)/comm"), !line.isEmpty else { return nil }
        let name = String(decoding: line, as: UTF8.self)
        guard line.count == 15, let file = executableName(of: pid), file.hasPrefix(name) else {
            return name
        }
        return file
    }

    private func executableName(of pid: Int32) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("\(root)/\(pid)/exe", &target, target.count)
        guard count > 0 else { return nil }
        let path = target.prefix(count).map(UInt8.init(bitPattern:))
        let name = path.suffix(from: path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)
        return String(decoding: name, as: UTF8.self)
    }

    private func firstLine(of file: String) -> ArraySlice<UInt8>? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") }
    }

    private func numbers(in directory: OpaquePointer) -> [Int32] {
        var numbers: [Int32] = []
        while let entry = readdir(directory) {
            let number = withUnsafeBytes(of: &entry.pointee.d_name) {
                Int32(decimal: $0.prefix { $0 != 0 })
            }
            if let number { numbers.append(number) }
        }
        return numbers
    }
}

extension FixedWidthInteger {
    /// Parses decimal digits, as in the names in `/proc`; nil for anything else.
    fileprivate init?(decimal digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            let (tens, isTooMuch) = multipliedReportingOverflow(by: 10)
            let (sum, isOver) = tens.addingReportingOverflow(Self(digit - 0x30))
            guard !isTooMuch, !isOver else { return nil }
            self = sum
        }
    }
}
