import ProxydEventLoops
import Testing

struct IndexedSetTests {
    private final class Member: IndexedElement {
        var index = -1
    }

    @Test func `members of an indexed set can be removed in any order, each one only once`() {
        var list = IndexedSet<Member>()
        let members = (0..<100).map { _ in Member() }
        for member in members { list.add(member) }
        // 37 and 100 have no common divisor, so that each one's turn comes.
        for step in 0..<100 {
            let member = members[step * 37 % 100]
            let removals = [list.remove(member), list.remove(member)]
            #expect(removals == [true, false])
            #expect(member.index == -1)
            #expect(list.count == 99 - step)
        }
        #expect(list.isEmpty)
    }

    @Test func `an indexed set does not remove an element that belongs to another set`() {
        var (list, other) = (IndexedSet<Member>(), IndexedSet<Member>())
        let (member, stranger) = (Member(), Member())
        list.add(member)
        other.add(stranger)
        let isRemoved = list.remove(stranger)
        #expect(!isRemoved)
        #expect(list.all.count == 1 && list.all[0] === member)
    }
}
