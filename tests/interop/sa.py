# SPDX-License-Identifier: Apache-2.0
# EmberSM: asks a subnet administrator with raw datagrams, RMPP included.
"""Client(simulator, node) asks like ibsim.Client, and also the subnet administrator: the octets of
every record as they came, where a tool would only print some of them."""
import socket
import struct
import time

import ibsim

GET, SET, GET_TABLE, GET_MULTI, DELETE = 1, 2, 0x12, 0x14, 0x15
# name: (attribute, octets of a record)
RECORDS = {
    "ClassPortInfo": (0x01, 72), "NodeRecord": (0x11, 112), "PortInfoRecord": (0x12, 72),
    "SLtoVLMappingTableRecord": (0x13, 16), "SwitchInfoRecord": (0x14, 24),
    "LinearForwardingTableRecord": (0x15, 72), "MulticastForwardingTableRecord": (0x17, 72),
    "SMInfoRecord": (0x18, 32), "LinkRecord": (0x20, 8), "GUIDInfoRecord": (0x30, 72),
    "P_KeyTableRecord": (0x33, 72), "VLArbitrationTableRecord": (0x36, 72),
}
HEADER = struct.Struct(">BBBBHHQHHI12sQHHQ")
DATA, ACK = 1, 2
ACTIVE, FIRST, LAST = 1, 2, 4  # RMPP flags.
WINDOW = 8  # Segments that may be under way.


class Client(ibsim.Client):
    def _PostSa(self, lid, mad):
        packet = ibsim.PACKET.pack(socket.htons(lid), 0, socket.htonl(1), socket.htonl(1), 0,
                                   ibsim.LENGTH, mad.ljust(256, b"\0"))
        self._data.setblocking(True)
        self._data.send(packet)
        self._data.setblocking(False)

    def _Acknowledge(self, lid, segment, taken):
        header = bytearray(segment[:56])
        header[3] ^= 0x80
        header[25], header[26] = ACK, ACTIVE
        struct.pack_into(">II", header, 28, taken, taken + WINDOW)
        self._PostSa(lid, bytes(header))

    def Query(self, lid, name, mask=0, data=b"", method=GET_TABLE, modifier=0, key=0, timeout_s=10):
        """The subnet administrator at `lid` -> (status, the octets of each record).

        A GetMulti goes as one segment. The time is that from one new segment to the next."""
        attribute, octets = RECORDS[name]
        mine = next(self._transaction) & 0xFFFFFFFF
        offset = octets // 8 if method == SET else 0
        rmpp = b""
        if method == GET_MULTI:
            rmpp = struct.pack(">BBBBII", 1, DATA, 0xF8 | ACTIVE | FIRST | LAST, 0, 1,
                               20 + len(data))
        self._PostSa(lid, HEADER.pack(1, 3, 2, method, 0, 0, mine, attribute, 0, modifier, rmpp, key,
                                      offset, 0, mask) + data.ljust(octets, b"\0"))
        body, wanted, deadline = bytearray(), 1, time.monotonic() + timeout_s
        while True:
            answer = self._Receive(deadline)
            if answer is None or (answer[0] == mine and answer[1] is None):
                raise ibsim.Unanswered("%s at LID %d" % (name, lid))
            if answer[0] != mine:
                continue
            mad = answer[1]
            status, = struct.unpack_from(">H", mad, 4)
            offset, = struct.unpack_from(">H", mad, 44)
            kind, flags = mad[25], mad[26] & 7
            segment, length = struct.unpack_from(">II", mad, 28)
            if not flags & ACTIVE:
                return status, [] if status else [mad[56:56 + octets]]
            if kind != DATA:
                continue
            if segment == wanted:
                wanted, deadline = wanted + 1, time.monotonic() + timeout_s
                body += mad[56:56 + (length - 20 if flags & LAST else 200)]
            ended = bool(flags & LAST) and segment == wanted - 1
            if ended or segment % (WINDOW // 2) == 1:
                self._Acknowledge(lid, mad, wanted - 1)
            if ended:
                step = offset * 8
                if step == 0:  # No record, whatever is in the segment.
                    return status, []
                return status, [bytes(body[i:i + step])
                                for i in range(0, len(body) - step + 1, step)]

    def Records(self, lid, name, **what):
        """As Query(), of which nothing but success will do."""
        status, records = self.Query(lid, name, **what)
        if status != 0:
            raise ibsim.Unanswered("%s at LID %d: status 0x%04x" % (name, lid, status))
        return records
