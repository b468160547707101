/// Finds the process that holds a socket.
///
/// A client opens many connections, so the processes found last are looked at first. Not for
/// several threads at once.
struct SocketOwnerSearch {
    /// Descriptors looked at in one search at most: a machine with more open files gets no answer
    /// instead of a search that takes seconds.
    static let linkCountMax = 200_000
    /// Processes remembered: more than one person's clients, few enough to look at each time.
    private static let recentCountMax = 8

    private let proc: ProcFileSystem
    private var recent: [Int32] = []

    /// A search in a mounted proc file system.
    init(procDirectory: String = "/proc") {
        proc = ProcFileSystem(root: procDirectory)
    }

    /// The process that holds the socket of this inode; nil where none can be seen to.
    mutating func owner(ofInode inode: UInt32, uid: UInt32) -> LocalProcess? {
        guard let pid = processID(holding: "socket:[\(inode)]", uid: uid),
            let name = proc.programName(of: pid)
        else { return nil }
        recent.removeAll { $0 == pid }
        recent.insert(pid, at: 0)
        if recent.count > Self.recentCountMax { recent.removeLast() }
        return LocalProcess(pid: pid, name: name)
    }

    private func processID(holding link: String, uid: UInt32) -> Int32? {
        var linkBudget = Self.linkCountMax
        func isHolder(_ pid: Int32) -> Bool {
            proc.process(pid, holds: link, linkBudget: &linkBudget)
        }
        if let pid = recent.first(where: isHolder) { return pid }
        // The youngest first: children inherit sockets, and the child is the one at work. A
        // program that changed its user since holds sockets of another user: it comes last.
        let others = proc.processIDs().filter { !recent.contains($0) }
        let userIDs = others.map { proc.userID(of: $0) }
        let likely = zip(others, userIDs).filter { $0.1 == uid }.map(\.0)
        let unlikely = zip(others, userIDs).filter { $0.1 != uid }.map(\.0)
        return likely.first(where: isHolder) ?? unlikely.first(where: isHolder)
    }
}
