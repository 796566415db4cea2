import DefaultTheme from "vitepress/theme";
import "./tables.css";

export default DefaultTheme;
