/// Finds the process that holds a socket.
///
/// A client opens many connections, so the processes found last are looked at first, and what a
/// search sees of other sockets answers the next ones. Not for several threads at the same time.
struct SocketOwnerSearch {
    /// Descriptors looked at in one search at most: a machine with more open files gets no answer
    /// instead of a search that takes seconds.
    static let linkCountMax = 200_000
    /// Processes remembered: more than one person's clients, few enough to look at each time.
    private static let recentCountMax = 8

    /// Sockets remembered: as many as may wait to be looked up, with room.
    private static let placeCountMax = 4_096

    /// Where a socket was seen.
    private struct Place {
        var pid: Int32
        var descriptor: Int32
    }

    private let proc: ProcFileSystem
    private var recent: [Int32] = []
    private var places: [UInt32: Place] = [:]

    /// A search in a mounted proc file system.
    init(procDirectory: String = "/proc") {
        proc = ProcFileSystem(root: procDirectory)
    }

    /// The process that holds the socket of this inode; nil where none can be seen to.
    mutating func owner(ofInode inode: UInt32, uid: UInt32) -> LocalProcess? {
        guard let pid = rememberedID(holding: inode) ?? processID(holding: inode, uid: uid),
            let name = proc.programName(of: pid)
        else { return nil }
        recent.removeAll { $0 == pid }
        recent.insert(pid, at: 0)
        if recent.count > Self.recentCountMax { recent.removeLast() }
        return LocalProcess(pid: pid, name: name)
    }

    /// No one else gets the answer: a place is searched once more, and each socket is asked for
    /// once.
    private mutating func rememberedID(holding inode: UInt32) -> Int32? {
        guard let place = places.removeValue(forKey: inode),
            proc.isSocket(inode, descriptor: place.descriptor, of: place.pid)
        else { return nil }
        return place.pid
    }

    private mutating func processID(holding inode: UInt32, uid: UInt32) -> Int32? {
        if places.count >= Self.placeCountMax { places = [:] }
        var linkBudget = Self.linkCountMax
        for pid in recent where isHolder(pid, of: inode, &linkBudget) { return pid }
        // The youngest first: children inherit sockets, and the child is the one at work. A
        // program that changed its user since holds sockets of another user: it comes last.
        let others = proc.processIDs().filter { !recent.contains($0) }
        let userIDs = others.map { proc.userID(of: $0) }
        let likely = zip(others, userIDs).filter { $0.1 == uid }.map(\.0)
        let unlikely = zip(others, userIDs).filter { $0.1 != uid }.map(\.0)
        for pid in likely + unlikely where isHolder(pid, of: inode, &linkBudget) { return pid }
        return nil
    }

    private mutating func isHolder(
        _ pid: Int32, of inode: UInt32, _ linkBudget: inout Int
    ) -> Bool {
        let isRecent = recent.contains(pid)
        let proc = proc
        let found = proc.descriptor(of: pid, holding: inode, linkBudget: &linkBudget) {
            // Of a program that never was a client nothing is worth remembering.
            guard isRecent, places.count < Self.placeCountMax else { return }
            places[$0] = Place(pid: pid, descriptor: $1)
        }
        return found != nil
    }
}
