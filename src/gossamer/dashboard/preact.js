// The one door to what is vendored: Preact with its hooks, and htm bound to it.
export { h, html, render, createContext, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext } from "./vendor/standalone.module.js";
