# SPDX-License-Identifier: Apache-2.0
# EmberSM: names of switches and hosts as factories and people give them, one style for a site.

SWITCH_STYLES = ("mf0", "mf0", "plain", "factory", "rack", "hash", "dash")
HOST_STYLES = ("mlx", "mlx", "hca", "short", "localhost", "factory", "odd")
# Names that hardly anyone meant; the tools must neither take them for options nor for other names.
ODD = ("", " ", "x" * 64, 'rack "A" sw', "it's #1", "0x0002c903", "12", "node001", "node001", "ALL",
       "a\\b", "(null)", "SELF", "-c", "S-0002c90300000001")


class Names:
    def __init__(self, chance):
        self._switches, self._hosts = chance.choice(SWITCH_STYLES), chance.choice(HOST_STYLES)
        self.model = "MQM8700"

    def Switch(self, role, number):
        return {
            "mf0": "MF0;%s-%02d:%s/U1" % (role, number, self.model),
            "plain": "%s-%02d" % (role, number),
            "factory": "Quantum Mellanox Technologies",
            "rack": "rack %c%02d, U%d (%s)" % (65 + number % 6, number, 40 + number % 3, role),
            "hash": "%s #%d" % (role, number),
            "dash": "%s%02d.ib.site's hall" % (role, number),
        }[self._switches]

    def Chip(self, director, board):
        return "MF0;%s:%s/%s/U1" % (director, self.model, board)

    def Place(self, coordinates):
        text = "-".join(map(str, coordinates))
        if self._switches == "hash":
            return "torus #" + text.replace("-", ".")
        return "MF0;t%s:%s/U1" % (text, self.model) if self._switches == "mf0" else "sw-" + text

    def Host(self, word, number, adapter=0):
        plain = "%s%03d" % (word, number)
        return {
            "mlx": "%s mlx5_%d" % (plain, adapter),
            "hca": "%s HCA-%d" % (plain, adapter + 1),
            "short": plain,
            "localhost": "%s mlx5_%d" % (plain if number % 5 else "localhost", adapter),
            "factory": ("%s HCA-%d" % (plain, adapter + 1) if number % 7
                        else "MT4123 ConnectX6   Mellanox Technologies"),
            "odd": "%s-%d's (rack %c, slot #%d) mlx5_%d" % (word, number, 65 + number % 4, number,
                                                           adapter),
        }[self._hosts]
