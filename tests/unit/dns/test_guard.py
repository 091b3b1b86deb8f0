"""Which addresses are public: every range that is not, in every spelling that leads there."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.dns.guard import AddressGuard, is_public


def _words(text: str) -> list[str]:
    return text.split()


PUBLIC = _words(
    """
    8.8.8.8 1.1.1.1 93.184.216.34 100.63.255.255 100.128.0.1 172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1
    169.253.1.1 169.255.0.1 198.17.255.255 198.20.0.1 223.255.255.255 11.0.0.1 9.255.255.255 126.255.255.255 128.0.0.1
    192.0.1.1 192.0.3.1 203.0.112.1 203.0.114.1 2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001:81b::200e
    2400:cb00::1 2001:200::1 3ffe::1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::808:808 2002:808:808::1 2001:0:808:808::f7f7:f7f7
    ::ffff:0:8.8.8.8
    """
)

NOT_PUBLIC = _words(
    """
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255
    198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.254 255.255.255.255 :: ::1 0:0:0:0:0:0:0:1
    0000:0000:0000:0000:0000:0000:0000:0001 ::ffff:127.0.0.1 ::FFFF:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
    ::ffff:0.0.0.0 ::ffff:192.168.1.1 0:0:0:0:0:ffff:7f00:0001 ::127.0.0.1 ::7f00:1 ::10.0.0.1 ::0.0.0.2 ::ffff:0:127.0.0.1
    ::ffff:0:10.0.0.1 64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 64:ff9b:1::808:808
    64:ff9b:1:ffff::8.8.8.8 2002:7f00:1::1 2002:a00:1:: 2002:c0a8:101::1 2002:a9fe:a9fe::1 2001::1 2001:0:7f00:1::f7f7:f7f7
    2001:0:808:808::80ff:fffe 2001:0:808:808::f5ff:fffe fec0::1 feff::1 fe80::1 fe80::1%eth0 febf::1 fc00::1 fd00:ec2::254
    fdff::1 ff02::1 ff0e::1 ffff::1 100::1 2001:db8::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 3fff::1 3fff:fff::1
    4000::1 5f00::1 8000::1 e000::1 1::1 fe00::1 64:ff9b:2::1 2a00:1450::1%eth0
    """
)

NO_ADDRESS = [
    "",
    "localhost",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1:80",
    "[::1]",
    " 8.8.8.8",
    "8.8.8.8/32",
    "१.१.१.१",
]


def test_the_tables_are_long_enough_to_mean_something() -> None:
    assert len(PUBLIC) >= 30
    assert len(NOT_PUBLIC) >= 60


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(address)
    assert AddressGuard().refusal(address) == ""


@pytest.mark.parametrize("address", NOT_PUBLIC + NO_ADDRESS)
def test_any_other_address_is_not_and_the_guard_says_why(address: str) -> None:
    assert not is_public(address)
    assert address in AddressGuard().refusal(address)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_we_call_public_is_global_by_the_registry_too(address: ipaddress.IPv4Address) -> None:
    assert not is_public(str(address)) or (address.is_global and not address.is_multicast)


@given(st.ip_addresses(v=4), st.integers(0, 2**16 - 1))
def test_an_ipv4_address_inside_an_ipv6_one_is_judged_like_itself(address: ipaddress.IPv4Address, rest: int) -> None:
    number, verdict = int(address), is_public(str(address))
    for inside in (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80 | rest):
        assert is_public(str(ipaddress.IPv6Address(inside))) is verdict


def test_a_refusal_names_the_address_and_the_remedy() -> None:
    guard = AddressGuard()
    assert guard.refusal("10.1.2.3") == "10.1.2.3 is not public (private); --allow-private 10.0.0.0/8 allows it"
    assert guard.refusal("64:ff9b:1::1") == "64:ff9b:1::1 is not public (local NAT64); --allow-private 64:ff9b:1::/48 allows it"
    assert guard.refusal("::ffff:7f00:1") == "::ffff:7f00:1 is not public (loopback); --allow-private 127.0.0.0/8 allows it"


def test_an_allowed_range_is_allowed_in_every_spelling_and_no_other_is() -> None:
    guard = AddressGuard(("127.0.0.0/8", "fd00::/8", "10.1.2.3"))
    for address in ("127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00::1", "10.1.2.3"):
        assert guard.refusal(address) == ""
    for address in ("128.0.0.1", "::1", "fc00::1", "10.1.2.4", "192.168.0.1"):
        assert bool(guard.refusal(address)) is not is_public(address)
    assert guard.refusal("localhost")


def test_an_address_that_leads_to_two_is_refused_when_either_is_not_allowed() -> None:
    half = AddressGuard(("127.0.0.0/8",))
    assert half.refusal("2001:0:7f00:1::f7f7:f7f7") == ""
    assert half.refusal("2001:0:7f00:1::f5ff:fffe")
